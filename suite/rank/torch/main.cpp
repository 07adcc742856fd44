/// scalestudy-rank: the heavy program. Started by a launcher, once per rank.

#include "rank/program/rank_main.hpp"
#include "rank/torch/torch_work.hpp"

int main(int argc, char** argv) {
  return scalestudy::rank_main(argc, argv, scalestudy::describe_rank_program,
                               scalestudy::make_torch_work);
}
