/** A program for an unprivileged user: runs several pods and prints the results as one line of JSON. */
import { busybox, hasEnded, isReady, memcached, startRealWorld } from "./real-world.ts";

await using world = await startRealWorld({ rights: "user", archives: process.argv.slice(2) });
const readinessProbe = { tcpSocket: { port: 11211 }, periodSeconds: 1 };
await world.run("cache", { containers: [{ name: "main", image: memcached, readinessProbe }] });
const cache = await world.until("cache", "ready", isReady);
const script = `id -u; (echo version; sleep 0.5) | nc -w 30 ${cache.status?.podIP} 11211; ls -l /data | wc -l; touch /data/x && echo written`;
const container = { name: "main", image: busybox, command: ["sh", "-c", script], securityContext: { runAsUser: 1234 } };
const volumes = [{ name: "data", emptyDir: {} }];
const mounted = { ...container, volumeMounts: [{ name: "data", mountPath: "/data" }] };
const securityContext = { fsGroup: 2000 };
await world.run("asker", { restartPolicy: "Never", securityContext, volumes, containers: [mounted] });
const { status } = await world.until("asker", "ended", hasEnded);
const asked = await world.outside.logs({ namespace: "default", name: "asker" }).text();
await world.run("shell", { securityContext: { runAsUser: 1234 } });
await world.until("shell", "ready", isReady);
const exec = await world.inside("shell", ["sh", "-c", "echo hello $(id -u)"]);
process.stdout.write(`${JSON.stringify({ uid: process.getuid?.(), phase: status?.phase, asked, exec })}\n`);
