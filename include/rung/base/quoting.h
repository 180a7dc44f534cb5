// Quoted words: the grammar of configuration lines and inline commands, and how bytes are printed
// where a person reads them (MONITOR, error lines, rewritten configuration files).
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace rung {

// Splits a line at blanks. "double quotes" know \n \r \t \a \b \\ \" and \xHH; 'single quotes' know
// \' only. A closing quote must be followed by a blank or the end. nullopt: unbalanced quotes.
// An empty line gives no words; "" gives one empty word.
std::optional<std::vector<std::string>> SplitQuoted(std::string_view line);

// `bytes` between double quotes, in the form that SplitQuoted reads back. Pure ASCII.
std::string Quote(std::string_view bytes);

// `bytes` as they are if SplitQuoted reads them back as one word, else Quote(bytes).
std::string QuoteIfNeeded(std::string_view bytes);

}  // namespace rung
