/* A library whose mere loading is the act: it makes the file that PROBE_PROOF names. */
#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

__attribute__((constructor)) static void loaded(void)
{
    const char *name = getenv("PROBE_PROOF");
    if (name)
        close(open(name, O_CREAT | O_WRONLY, 0600));
}

/* The loader asks an auditing library for this one. */
unsigned int la_version(unsigned int version) { return version; }
