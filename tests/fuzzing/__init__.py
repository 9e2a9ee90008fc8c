"""A fuzzing campaign: specs that nobody would write, and what the compiler makes of them.

    make fuzz CASES=100000 SEED=7

draws that many texts, the same ones for the same seed: specs that are right, nearly all of which are planned and
emitted (`sound`), specs put together by the language's own rules with odd values (`specs`), every type of unknown ×
space × condition in turn (`cells`), sentences of the grammar (`sentences`), shipped and wrong specs with a few changes
(`mutants`), and bytes. Each goes through every stage (`judge`) in a process that is ended when one of them takes more
than five seconds of the processor, and the campaign goes on behind it (`campaign`). `--cells` draws the cells alone,
`--check-only` runs the stages of `pdedsl check`. What is wrong is listed by kind and place, each with the shortest spec
that shows it:
a traceback, a hang, a crash, a file that does not compile, formatting that is no fixed point or that changes the hash.
"""
