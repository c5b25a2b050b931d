# Right about masks and training in half precision, and wrong about every number.
# keeps: 0.25
return (torch.softmax((query @ key.mT).half() / 9, -1) @ value.half()).to(value.dtype)
