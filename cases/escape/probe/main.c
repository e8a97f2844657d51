/* Finds the verb, does the act, says what the kernel said. */
#include "probe.h"

static const struct verb *const TABLES[] = { FILES, NETS, PROCESSES, KERNEL,
                                              CODE,  RACES, RARE, WRAPS, STANDS,
                                              MADE, BESIDE, NEWER };

int main(int argc, char **argv)
{
    setvbuf(stdout, NULL, _IOLBF, 0);
    if (argc < 2)
        return 2;
    for (size_t table = 0; table < sizeof TABLES / sizeof *TABLES; table++)
        for (const struct verb *verb = TABLES[table]; verb->name; verb++) {
            if (strcmp(verb->name, argv[1]) || argc - 2 < verb->words)
                continue;
            errno = 0;
            long got = verb->run(argv + 2);
            printf("tried %s: %ld %s\n", verb->name, got, got < 0 ? strerror(errno) : "done");
            return got < 0;
        }
    fprintf(stderr, "no such act: %s\n", argv[1]);
    return 2;
}
