# a heat equation, to be written

