// What the tests of groups share: a queue "q" whose jobs tell their group by their body.
#pragma once

#include <string>
#include <vector>

#include "kit/engine_test.h"
#include "kit/queue_reply.h"

namespace rung::testing {

using Texts = std::vector<std::string>;

class QueueGroupTest : public EngineTest {
 protected:
  // Jobs "a0", "a1" ... of group "a".
  void Fill(Client& client, const std::string& group, int count, const std::string& more = "") {
    for (int i = 0; i < count; ++i) {
      client.Call("Q.ADD q " + group + std::to_string(i) + " GROUP " + group + " " + more);
    }
  }
  // The bodies of the next jobs, which are taken.
  Texts Next(Client& client, int count) {
    return BodiesOf(client.Call("Q.TAKE q COUNT " + std::to_string(count)));
  }
};

}  // namespace rung::testing
