// What COMMAND says of one command. Shared by COMMAND, COMMAND INFO and COMMAND DOCS.
#pragma once

#include <cstdint>

#include "rung/commands/catalog.h"
#include "rung/resp/reply_writer.h"

namespace rung {

// The ten fields of COMMAND INFO.
void ReplyCommandInfo(ReplyWriter& reply, const Command& command);
// The map of COMMAND DOCS.
void ReplyCommandDocs(ReplyWriter& reply, const Command& command);
// The names of a key's KeyFlags, as a set.
void ReplyKeyFlags(ReplyWriter& reply, std::uint32_t flags);

}  // namespace rung
