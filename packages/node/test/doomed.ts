/** A program that runs a pod and waits to be killed: what it leaves behind is the test. */
import { busybox, startRealWorld } from "./real-world.ts";

const world = await startRealWorld();
await world.run("orphan", { containers: [{ name: "main", image: busybox, command: ["sleep", "54321"] }] });
await world.until("orphan", "running", ({ status }) => status?.phase === "Running");
process.send?.({ state: world.state, pid: world.machine.pid });
