/** Containers that cannot be created or started. */
import type { Container } from "@capstan/kinds/v1";
import { isHeldBack, isOver, once, shell, staying, waits, type Request, type Requests } from "./request.ts";

const unconfigured = (more: Partial<Container>): Request => ({
  spec: staying(more),
  until: waits("CreateContainerConfigError"),
});
const uncreated = (more: Partial<Container>): Request => ({
  spec: staying(more),
  until: waits("CreateContainerError"),
});
const unstarted = (more: Partial<Container>): Request => ({ spec: once("true", more), until: isOver });
const from = (source: NonNullable<NonNullable<Container["env"]>[number]["valueFrom"]>): Request =>
  unconfigured({ env: [{ name: "X", valueFrom: source }] });

export const containerRequests: Requests = {
  "env-no-map": from({ configMapKeyRef: { name: "none", key: "k" } }),
  "env-no-key": from({ configMapKeyRef: { name: "some", key: "none" } }),
  "env-no-secret": from({ secretKeyRef: { name: "none", key: "k" } }),
  "env-no-secret-key": from({ secretKeyRef: { name: "some", key: "none" } }),
  "env-from-no-map": unconfigured({ envFrom: [{ configMapRef: { name: "none" } }] }),
  "env-from-no-secret": unconfigured({ envFrom: [{ secretRef: { name: "none" } }] }),
  "user-root-by-image": unconfigured({ securityContext: { runAsNonRoot: true } }),
  "user-root-by-name": unconfigured({ securityContext: { runAsNonRoot: true, runAsUser: 0 } }),
  "program-none": unstarted({ command: ["nosuch"] }),
  "program-no-file": unstarted({ command: ["/no/such"] }),
  "program-not-below": unstarted({ command: ["./nosuch"] }),
  "program-folder": unstarted({ command: ["/etc"] }),
  "program-no-rights": unstarted({ command: ["/etc/passwd"] }),
  "program-not-for-user": unstarted({ command: ["/etc/shadow"], securityContext: { runAsUser: 1000 } }),
  "program-below-file": unstarted({ command: ["/etc/passwd/x"] }),
  "program-again": { spec: staying({ command: ["nosuch"] }), until: isHeldBack },
  "folder-is-file": unstarted({ workingDir: "/etc/passwd" }),
  "folder-is-new": { spec: once("pwd > /dev/termination-log", { workingDir: "/new/one" }), until: isOver },
  "filter-none": uncreated({
    securityContext: { seccompProfile: { type: "Localhost", localhostProfile: "none.json" } },
  }),
  "right-unknown": { spec: once("true", { securityContext: { capabilities: { add: ["NOSUCH"] } } }), until: isOver },
  "init-fails": {
    spec: { ...once("true"), initContainers: [shell("exit 3", { name: "init" })] },
    until: isOver,
  },
  "init-fails-again": {
    spec: { ...staying(), initContainers: [shell("true", { name: "good" }), shell("exit 4", { name: "bad" })] },
    until: isHeldBack,
  },
  "init-no-program": {
    spec: { ...once("true"), initContainers: [shell("true", { name: "init", command: ["nosuch"] })] },
    until: isOver,
  },
};
