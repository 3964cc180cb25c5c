-- wrk: in each thread one person repeats a request with the ETag of the last answer, as a browser does, and gets 304 or
-- another answer. Arguments: a file with tokens, the path.
local threads = {}
function setup(thread)
  thread:set("number", #threads + 1)
  thread:set("fresh", 0)
  thread:set("same", 0)
  threads[#threads + 1] = thread
end

function init(args)
  local tokens = {}
  for token in io.open(args[1]):read("*a"):gmatch("(%S+) %S+") do tokens[#tokens + 1] = token end
  path = args[2]
  fields = { ["Authorization"] = "Bearer " .. tokens[(number - 1) % #tokens + 1] }
  asked = wrk.format("GET", path, fields)
end

function request()
  return asked
end

function response(status, headers)
  if status == 304 then
    same = same + 1
  else
    fresh = fresh + 1
    if headers["ETag"] ~= fields["If-None-Match"] then
      fields["If-None-Match"] = headers["ETag"]
      asked = wrk.format("GET", path, fields)
    end
  end
end

function done(summary, latency, requests)
  local fresh, same = 0, 0
  for _, thread in ipairs(threads) do
    fresh = fresh + thread:get("fresh")
    same = same + thread:get("same")
  end
  io.write(string.format("UNCHANGED %d\n", math.floor(same / (same + fresh) * 100)))
  io.write(string.format("FAILED %d\n", summary.errors.status + summary.errors.connect + summary.errors.read
    + summary.errors.write + summary.errors.timeout))
end
