/** Why a promise is not kept, as profiles tell, and what would be tried next; shown beside it as long as it is broken. */
export const reasons: { readonly [row: string]: string } = {
  "runtime/restart, CPU": `a sixth is Node before our first line and the import (0.03 s and 0.06 s), a fifth is V8's compilers on their own threads:
  in half a second every function that matters is compiled up to three times, and a Go program is compiled already. The rest is two streamed lists and
  2,000 turns in code that is still cold. Tried: lists parsed as they come (the former way); lists walked byte by byte (slower while the code is cold); lists kept as
  bytes, of which only metadata is looked at, by patterns that are machine code from the start (kept, a tenth to a fifth less for the list itself); no middle
  compiler (\`--no-maglev\`: 9 MiB less, a quarter more CPU). Next: what a turn would apply told from a digest, so that neither object is made; a start-up snapshot of Node.`,
  "runtime/burst, peak memory": `42 MiB are Node that does nothing, about 16 our code and its libraries, 20 what V8's compilers hold while they work. Objects
  are a small part: the heap has 20 MiB. Tried: smaller young generations (\`--max-semi-space-size=4\`, kept: 124 to 104 MiB at a restart; 1 gives 93 MiB and costs CPU),
  one arena of malloc (\`MALLOC_ARENA_MAX=1\`: 8 MiB less), no optimising compilers (20 MiB less, a third more CPU). Next: fewer, larger functions on hot paths, so that less is compiled.`,
  "runtime/burst, CPU per object": `the profile is flat: the kernel 13 %, V8's compilers 8 %, the garbage collector 8 %, JSON 3 %, TLS 2 %; what is left are promises, calls and
  property reads of two requests, two answers and three events an object, in code that a burst of two seconds hardly warms. Next: answers of which only the version is
  read, since the watch tells the rest.`,
  "runtime/churn, CPU": `as for the burst: at fifty changes a second each request is a wake-up, a TLS record and a write of its own; nothing can be gathered.`,
  "runtime/cold start to first write": `Node starts and compiles what it imports, and has four round trips before the first write. Next: a compile cache in the image.`,
  "cache/memory per 1 KB ConfigMap": `beside its bytes each object has a key, an entry in a map and its places in three indexes. Next: entries in typed arrays.`,
  "client/small request, CPU": `bare node:http2, which stands beside it in the table, does nothing but send, receive and parse; what is left is mostly
  the kernel and what Node does for each TLS record. Next: several requests in one record also when they come one by one.`,
  "queue/add, take and done": `what is left is waiting for memory: a look into a map of 200,000 keys, and the neighbours of a key in its tenant's line. Tried: keys that come back stay in the map (kept); those that run are also in a small map of
  their own (kept, an eighth more turns). Next: lines in typed arrays instead of linked objects.`,
  "import/import capstan, CPU": `what is left is reading and compiling 600 KB of JavaScript; a compile cache would save a quarter of it, in images that carry one.`,
};
