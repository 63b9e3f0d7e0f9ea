/** A program that starts a shim and prints, as one line of JSON, where another program succeeds: outside and inside. */
import { spawnSync } from "node:child_process";
import { join } from "node:path";
import { ShimClient } from "../src/linux/shim-client.ts";

const [folder = "", program = ""] = process.argv.slice(2);
const say = (code: number | null): string => (code === 0 ? "found" : "not found");
const shim = await ShimClient.start({
  socketPath: join(folder, "shim.sock"),
  rights: process.getuid?.() === 0 ? "root" : "user",
  groups: [],
  answer: () => Promise.resolve(undefined),
  exited: () => {},
  gone: () => {},
});
const outside = say(spawnSync(program, ["/bin/true"]).status);
const inside = say((await shim.run([program, "/bin/true"])).code);
await shim.close();
process.stdout.write(`${JSON.stringify({ outside, inside })}\n`);
