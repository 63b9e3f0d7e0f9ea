/** A program that runs a pod and waits to be killed: the test checks what it leaves behind. */
import { busybox, startRealWorld } from "./real-world.ts";

const world = await startRealWorld();
// Its pid distinguishes its pods from those of concurrent tests.
const seconds = String(10_000_000 + process.pid);
await world.run("orphan", { containers: [{ name: "main", image: busybox, command: ["sleep", seconds] }] });
await world.until("orphan", "running", ({ status }) => status?.phase === "Running");
process.send?.({ state: world.state, pid: world.machine.pid });
