/** A program that runs a pod and waits to be killed: what it leaves behind is the test. */
import { busybox, startRealWorld } from "./real-world.ts";

const world = await startRealWorld();
// Its own number tells its pods from those of others that do the same.
const seconds = String(10_000_000 + process.pid);
await world.run("orphan", { containers: [{ name: "main", image: busybox, command: ["sleep", seconds] }] });
await world.until("orphan", "running", ({ status }) => status?.phase === "Running");
process.send?.({ state: world.state, pid: world.machine.pid });
