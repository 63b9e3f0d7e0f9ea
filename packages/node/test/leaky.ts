/** Starts a node with inherited open files and a restrictive umask, and prints what a pod notices of them. */
import { ConfigMap } from "@capstan/kinds/v1";
import { startRealWorld } from "./real-world.ts";

process.umask(0o077);
await using world = await startRealWorld();
const files = await world.outputOf("holder", "ls /proc/$$$$/fd; true");
// The shell itself holds a copy of what it reads, at file descriptor 10.
const inherited = files.split("\n").filter((name) => name !== "" && name !== "10");
process.stdout.write(`files: ${inherited.join(" ")}\n`);

await world.client.create(ConfigMap, {
  metadata: { namespace: "default", name: "words" },
  data: { "deep.word": "read" },
});
const items = [{ key: "deep.word", path: "deep/word" }];
const volumes = [
  { name: "words", configMap: { name: "words", items } },
  { name: "own", emptyDir: {} },
];
const volumeMounts = volumes.map(({ name }) => ({ name, mountPath: `/mine/${name}` }));
const script =
  "umask; stat -c %a / /mine /mine/own; cat /mine/words/deep/word; touch /mine/own/x && echo ' and written'";
const container = { securityContext: { runAsUser: 1234 }, volumeMounts };
const noticed = await world.outputOf("other", script, container, { volumes });
process.stdout.write(`others: ${noticed.trim().replaceAll("\n", " ")}\n`);
