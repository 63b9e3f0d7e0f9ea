/** Makes the kernel forget connections by their marks: their next packets are looked at anew. */
import { forgetFlowsProgram } from "./entering/forget-flows.ts";
import type { Keeper } from "./keeper-link.ts";
import { isKnown } from "./seccomp/filter.ts";

/** Runs a program that comes as text; where nothing else of the node can be executed, this folder lets it. */
const runOnce =
  "mkdir -p /mnt/programs; f=/mnt/programs/once-$$; base64 -d > $f && chmod 700 $f && $f /bin/true; code=$?; rm -f $f; exit $code";

/** Forgets them. */
export async function forgetFlows(keeper: Pick<Keeper, "must">, marks: readonly number[]): Promise<void> {
  if (!isKnown(process.arch) || marks.length === 0) return;
  await keeper.must(["sh", "-c", runOnce], forgetFlowsProgram(marks, process.arch).toString("base64"));
}
