return None
