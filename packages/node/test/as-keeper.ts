/** A program that starts a shim and prints, as one line of JSON, where another program succeeds: outside and inside. */
import { spawnSync } from "node:child_process";
import { join } from "node:path";
import { Keeper } from "../src/linux/keeper-link.ts";

const [folder = "", program = ""] = process.argv.slice(2);
const say = (code: number | null): string => (code === 0 ? "found" : "not found");
const keeper = await Keeper.start({
  door: join(folder, "door.sock"),
  rights: process.getuid?.() === 0 ? "root" : "user",
  groups: [],
  answer: () => Promise.resolve(undefined),
  exited: () => {},
  gone: () => {},
});
const outside = say(spawnSync(program, ["/bin/true"]).status);
const inside = say((await keeper.run([program, "/bin/true"])).code);
await keeper.close();
process.stdout.write(`${JSON.stringify({ outside, inside })}\n`);
