"""A campaign of kills: runs of every kind are ended by SIGKILL at any moment, and go on as if they had not been.

    make kills KILLS=200 SEED=7

starts runs in processes of their own, also two at once of which one is killed, ends them at random moments, eight times
at most, and lets them finish. What is then in the folder must be what an uninterrupted run leaves: the same weights
and figures to the bit, or the same report, and no other file.
"""
