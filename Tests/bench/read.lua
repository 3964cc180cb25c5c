-- wrk: each request is for the path of the next person. Arguments: a file with tokens and paths, a path that is not
-- used, the method if it is not GET.
local threads = 0
function setup(thread)
  thread:set("number", threads)
  threads = threads + 1
end

function init(args)
  requests = {}
  for line in io.lines(args[1]) do
    local token, path = line:match("(%S+) (%S+)")
    requests[#requests + 1] = wrk.format(args[3] or "GET", path, { ["Authorization"] = "Bearer " .. token })
  end
  -- The two threads are half a round apart.
  turn = math.floor(#requests / 2) * number
end

function request()
  turn = turn % #requests + 1
  return requests[turn]
end

function done(summary, latency, requests)
  io.write(string.format("FAILED %d\n", summary.errors.status + summary.errors.connect + summary.errors.read
    + summary.errors.write + summary.errors.timeout))
end
