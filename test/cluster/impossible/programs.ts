/** Programs that fail, or are killed. */
import type { Container, PodSpec } from "@capstan/kinds/v1";
import { isHeldBack, isOver, once, runs, shell, staying, type Request, type Requests } from "./request.ts";

const ending = (script: string, more: Partial<Container> = {}): Request => ({
  spec: once(script, more),
  until: isOver,
});
const unready = (readinessProbe: NonNullable<Container["readinessProbe"]>): Request => ({
  // A slow program must not be taken for one that does not respond.
  spec: staying({ readinessProbe: { periodSeconds: 1, failureThreshold: 1, timeoutSeconds: 60, ...readinessProbe } }),
  until: runs(),
});
const often = { periodSeconds: 1, failureThreshold: 1, timeoutSeconds: 60 } as const;
const afterStart = (postStart: NonNullable<NonNullable<Container["lifecycle"]>["postStart"]>): PodSpec =>
  staying({ lifecycle: { postStart } }, { restartPolicy: "Never" });

export const programRequests: Requests = {
  "ends-well": ending("exit 0"),
  "ends-with-3": ending("exit 3"),
  "ends-by-signal": ending("sh -c 'kill -9 $$$$; :'; exit $?"),
  "ends-by-segfault": ending("sh -c 'kill -11 $$$$; :'; exit $?"),
  "ends-with-words": ending("echo -n words > /dev/termination-log; exit 1"),
  "ends-with-log": ending("echo said; echo more; exit 1", { terminationMessagePolicy: "FallbackToLogsOnError" }),
  "ends-well-with-log": ending("echo said", { terminationMessagePolicy: "FallbackToLogsOnError" }),
  "ends-with-long-log": ending("for i in $(seq 200); do echo line $i; done; exit 1", {
    terminationMessagePolicy: "FallbackToLogsOnError",
  }),
  "ends-with-many-words": ending("for i in $(seq 2000); do echo -n $i, >> /dev/termination-log; done"),
  "ends-in-parts": {
    spec: { restartPolicy: "Never", containers: [shell("exit 0"), shell("exit 5", { name: "other" })] },
    until: isOver,
  },
  "ends-again": { spec: staying({ command: ["sh", "-c", "exit 7"] }), until: isHeldBack },
  "ends-well-again": { spec: staying({ command: ["true"] }), until: isHeldBack },
  "ends-on-failure": {
    spec: { ...once("exit 7"), restartPolicy: "OnFailure" },
    until: isHeldBack,
  },
  "memory-out": {
    spec: once("exec tail /dev/zero", { resources: { limits: { memory: "16Mi" } } }),
    until: isOver,
  },
  "time-out": { spec: staying(), change: { when: runs(), spec: { activeDeadlineSeconds: 1 } }, until: isOver },
  "hook-fails": { spec: afterStart({ exec: { command: ["sh", "-c", "echo no; exit 9"] } }), until: isOver },
  "hook-no-program": { spec: afterStart({ exec: { command: ["nosuch"] } }), until: isOver },
  "hook-no-answer": { spec: afterStart({ httpGet: { port: 9, path: "/x" } }), until: isOver },
  "hook-fails-again": {
    spec: staying({ lifecycle: { postStart: { exec: { command: ["false"] } } } }),
    until: isHeldBack,
  },
  "last-hook-fails": {
    spec: staying({ lifecycle: { preStop: { exec: { command: ["sh", "-c", "exit 9"] } } } }),
    until: runs(),
    thenDeleted: { graceSeconds: 5 },
  },
  "alive-no-more": { spec: staying({ livenessProbe: { ...often, exec: { command: ["false"] } } }), until: runs(1) },
  "alive-never": {
    spec: staying({ startupProbe: { ...often, exec: { command: ["sh", "-c", "echo why; exit 2"] } } }),
    until: runs(1),
  },
  "ready-no-port": unready({ tcpSocket: { port: 9 } }),
  "ready-no-page": unready({ httpGet: { port: 9, path: "/ready" } }),
  "ready-no-program": unready({ exec: { command: ["nosuch"] } }),
  "ready-no-service": unready({ grpc: { port: 9 }, timeoutSeconds: 2 }),
  "ready-too-slow": unready({ exec: { command: ["sleep", "100"] }, timeoutSeconds: 1 }),
};
