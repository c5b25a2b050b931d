# state: error
def fall():
    fall()


fall()
