/* hold_open FILE none|read|all: for tests under wine. Opens FILE for reading as another program would, sharing nothing, reading, or
   reading, writing and deleting; says "open" and holds it until its standard input ends. Never shipped. */
#include <stdio.h>
#include <windows.h>
int wmain(int count, wchar_t **words) {
    DWORD share = 0;
    if (count != 3) return 2;
    if (words[2][0] == L'r') share = FILE_SHARE_READ;
    if (words[2][0] == L'a') share = FILE_SHARE_READ | FILE_SHARE_WRITE | FILE_SHARE_DELETE;
    HANDLE file = CreateFileW(words[1], GENERIC_READ, share, NULL, OPEN_EXISTING, 0, NULL);
    if (file == INVALID_HANDLE_VALUE) return 1;
    puts("open"); fflush(stdout);
    while (getchar() != EOF) {}
    CloseHandle(file);
    return 0;
}
