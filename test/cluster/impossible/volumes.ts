/** Volumes that do not exist, or are of the wrong kind. */
import type { PodSpec, VolumeMount } from "@capstan/kinds/v1";
import {
  isCreating,
  isUnscheduled,
  shell,
  staying,
  waits,
  withVolume,
  type Request,
  type Requests,
} from "./request.ts";

const stuck = (spec: PodSpec): Request => ({ spec, until: isCreating });

/** The existing ConfigMap has the keys `there` and `other.key`. */
export const configMap = { name: "some", data: { there: "yes", "other.key": "1" } } as const;

const shared = (mount: Partial<VolumeMount>, script = "true"): PodSpec => ({
  ...staying(
    { volumeMounts: [{ name: "data", mountPath: "/data", ...mount }] },
    { volumes: [{ name: "data", emptyDir: {} }] },
  ),
  initContainers: [shell(script, { name: "planter", volumeMounts: [{ name: "data", mountPath: "/data" }] })],
});

const unmountable = (spec: PodSpec): Request => ({ spec, until: waits("CreateContainerConfigError") });

export const volumeRequests: Requests = {
  "volume-no-config-map": stuck(withVolume({ configMap: { name: "none" } })),
  "volume-no-key": stuck(withVolume({ configMap: { name: "some", items: [{ key: "none", path: "x" }] } })),
  "volume-no-secret": stuck(withVolume({ secret: { secretName: "none" } })),
  "volume-no-secret-key": stuck(withVolume({ secret: { secretName: "some", items: [{ key: "none", path: "x" }] } })),
  "volume-nothing-to-project": stuck(
    withVolume({
      projected: {
        sources: [{ configMap: { name: "none" } }, { secret: { name: "none" } }, { configMap: { name: "some" } }],
      },
    }),
  ),
  "volume-no-claim": { spec: withVolume({ persistentVolumeClaim: { claimName: "none" } }), until: isUnscheduled },
  "volume-no-folder": stuck(withVolume({ hostPath: { path: "/nowhere/at/all", type: "Directory" } })),
  "volume-no-file": stuck(withVolume({ hostPath: { path: "/nowhere/at/all", type: "File" } })),
  "volume-no-socket": stuck(withVolume({ hostPath: { path: "/etc", type: "Socket" } })),
  "volume-no-device": stuck(withVolume({ hostPath: { path: "/etc", type: "CharDevice" } })),
  "volume-no-disk": stuck(withVolume({ hostPath: { path: "/etc", type: "BlockDevice" } })),
  "volume-folder-for-file": stuck(withVolume({ hostPath: { path: "/etc", type: "File" } })),
  "volume-file-for-folder": stuck(withVolume({ hostPath: { path: "/etc/hosts", type: "Directory" } })),
  "volume-folder-for-new-file": stuck(withVolume({ hostPath: { path: "/etc", type: "FileOrCreate" } })),
  "volume-file-for-new-folder": stuck(withVolume({ hostPath: { path: "/etc/hosts", type: "DirectoryOrCreate" } })),
  "part-out-of-volume": unmountable(shared({ subPath: "out/etc" }, "ln -s / /data/out")),
  "part-of-a-file": unmountable(shared({ subPath: "file/below" }, "echo > /data/file")),
  "part-no-variable": unmountable(shared({ subPathExpr: "$(NONE)" })),
  "part-up": unmountable({
    ...shared({ subPathExpr: "$(UP)" }),
    containers: [
      shell("true", {
        env: [{ name: "UP", value: "../up" }],
        volumeMounts: [{ name: "data", mountPath: "/data", subPathExpr: "$(UP)" }],
      }),
    ],
  }),
  "part-absolute": unmountable({
    ...shared({}),
    containers: [
      shell("true", {
        env: [{ name: "TOP", value: "/top" }],
        volumeMounts: [{ name: "data", mountPath: "/data", subPathExpr: "$(TOP)" }],
      }),
    ],
  }),
};
