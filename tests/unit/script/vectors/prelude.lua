local function show(v)
  local t = type(v)
  if t == 'number' then return string.format('%.17g', v) end
  if t == 'string' then
    return '"' .. string.gsub(v, '[^%w %p]', function(c) return string.format('<%02x>', string.byte(c)) end) .. '"'
  end
  if t == 'table' then
    local parts = {}
    for key, value in pairs(v) do parts[#parts + 1] = show(key) .. '=' .. show(value) end
    return '{' .. table.concat(parts, ' ') .. '}'
  end
  if t == 'userdata' then return 'null' end
  return tostring(v)
end
local function hex(s) return (string.gsub(s, '.', function(c) return string.format('%02x', string.byte(c)) end)) end
local function raw(digits) return (string.gsub(digits, '%x%x', function(c) return string.char(tonumber(c, 16)) end)) end
local function nest(depth) local t = 1 for i = 1, depth do t = {t} end return t end
local function pack(...) return hex(cmsgpack.pack(...)) end
local function unpack_all(digits) return cmsgpack.unpack(raw(digits)) end
local function result(...)
  local parts = {}
  for i = 1, select('#', ...) do parts[i] = show((select(i, ...))) end
  return table.concat(parts, ' ')
end
local function try(f)
  local function keep(ok, ...) if ok then return result(...) end return 'ERR ' .. tostring((...)) end
  return keep(pcall(f))
end
