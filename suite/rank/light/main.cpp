/// scalestudy-rank-light: what needs no LibTorch. Started by a launcher, once per rank.

#include "rank/light/light_work.hpp"
#include "rank/program/rank_main.hpp"

int main(int argc, char** argv) {
  return scalestudy::rank_main(argc, argv, scalestudy::describe_light_rank_program,
                               scalestudy::make_light_work, scalestudy::RanksPerProcess::any);
}
