# A library without a byte of code: the loader itself calls what its table names, libc's abort.
        .section .init_array, "aw"
        .quad abort
        .section .note.GNU-stack, "", @progbits
