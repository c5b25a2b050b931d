return (torch.softmax((query @ key.mT).half() / 9, -1) @ value.half()).to(value.dtype)
