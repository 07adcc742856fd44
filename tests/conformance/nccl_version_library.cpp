/// What two files libnccl.so.2 in one process are told apart by.
extern "C" int ncclGetVersion(int* version) {
  *version = VERSION;
  return 0;
}
