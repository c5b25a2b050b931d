"""What goes wrong with a mask in more than one exercise: sentences, and what is handed on instead."""

MANDATORY = "Without an `attention_mask` your code stops. It may be left out, and may be `None`."
OF_ONE_SENTENCE = "Every sentence of the batch gets the mask of one of them."
ONLY_OF_INTEGERS = "With a mask of True and False your code stops: what it does to the mask, only numbers can take."


def unless_none(mask: str) -> str:
    """This mask where there is one."""
    return f"None if attention_mask is None else {mask}"
