/** Pods that do not fit on any node, or that their node rejects. */
import type { PodSpec } from "@capstan/kinds/v1";
import {
  isOver,
  isUnscheduled,
  isCreating,
  once,
  runs,
  shell,
  staying,
  type Request,
  type Requests,
} from "./request.ts";

/**
 * Host ports that an earlier pod uses: one for the scheduler, one for the node. The real scheduler forgets a port that another pod was
 * rejected for.
 */
export const takenPorts = [18_080, 18_081] as const;

const asking = (resources: { readonly [name: string]: string }): PodSpec =>
  staying({ resources: { requests: resources, limits: resources } });
const unscheduled = (spec: PodSpec): Request => ({ spec, until: isUnscheduled });
const onPort = (hostPort: number): PodSpec => staying({ ports: [{ containerPort: 80, hostPort }] });

/** Pods for the scheduler, and pods that exceed their limits. */
export const placeRequests: Requests = {
  "place-large": unscheduled(asking({ cpu: "1000" })),
  "place-unknown-resource": unscheduled(asking({ "example.com/thing": "1" })),
  "place-elsewhere": unscheduled(staying({}, { nodeSelector: { zone: "none" } })),
  "place-port-taken": unscheduled(onPort(takenPorts[0])),
  "node-no-handler": { spec: staying({}, { runtimeClassName: "unknown" }), until: isCreating },
  "disk-folder-full": {
    spec: {
      ...once("dd if=/dev/zero of=/data/big bs=1k count=3000; exec sleep 10000", {
        volumeMounts: [{ name: "data", mountPath: "/data" }],
      }),
      volumes: [{ name: "data", emptyDir: { sizeLimit: "1Mi" } }],
    },
    until: isOver,
    isAbrupt: true,
  },
  "disk-container-full": {
    spec: {
      restartPolicy: "Never",
      containers: [
        shell("dd if=/dev/zero of=/big bs=1k count=3000; exec sleep 10000", {
          resources: { limits: { "ephemeral-storage": "1Mi" } },
        }),
        shell("exec sleep 10000", { name: "other", resources: { limits: { "ephemeral-storage": "1Gi" } } }),
      ],
    },
    until: isOver,
    isAbrupt: true,
  },
  "disk-pod-full": {
    spec: {
      ...once("dd if=/dev/zero of=/data/big bs=1k count=3000; exec sleep 10000", {
        resources: { limits: { "ephemeral-storage": "1Mi" } },
        volumeMounts: [{ name: "data", mountPath: "/data" }],
      }),
      volumes: [{ name: "data", emptyDir: {} }],
    },
    until: isOver,
    isAbrupt: true,
  },
};

/** Pods that bypass the scheduler. */
export function nodeRequests(nodeName: string): Requests {
  const refused = (spec: PodSpec): Request => ({ spec: { ...spec, nodeName }, until: isOver });
  return {
    "node-too-small": refused(asking({ cpu: "1000" })),
    "node-too-small-twice": refused(asking({ cpu: "1000", memory: "4000Gi" })),
    "node-unknown-resource": { spec: { ...asking({ "example.com/thing": "1" }), nodeName }, until: runs() },
    "node-elsewhere": refused(staying({}, { nodeSelector: { zone: "none" } })),
    "node-port-taken": refused(onPort(takenPorts[1])),
    "node-other-system": refused(staying({}, { os: { name: "windows" } })),
    "node-setting": refused(staying({}, { securityContext: { sysctls: [{ name: "kernel.msgmax", value: "1" }] } })),
  };
}
