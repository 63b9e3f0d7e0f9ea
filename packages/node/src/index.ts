/** Runs pods with sandboxes, networks, volumes, probes, logs and exec, or simulates them. */
export { startNode } from "./node.ts";
export type { NodeOptions, RunningNode } from "./node.ts";
export { NodeError } from "./errors.ts";
export type { NodeErrorCode } from "./errors.ts";
export { simulatedRuntime } from "./simulated/simulated.ts";
export type { SimulatedOptions, SimulatedRuntime } from "./simulated/simulated.ts";
export type { Behaviour, Pattern, Rule, ScriptedEnd } from "./simulated/script.ts";
export type {
  CheckResult,
  ContainerOrder,
  StreamingRuntime,
  Exit,
  ImageRecord,
  NetworkCheck,
  NodeFacts,
  Runtime,
  Sandbox,
  SandboxOrder,
  Started,
  VolumeContent,
  VolumeFile,
  Volumes,
} from "./runtime/runtime.ts";
export { startMachine } from "./linux/machine.ts";
export type { Machine, MachineOptions } from "./linux/machine.ts";
export type { LineState, LinuxNode, LinuxRuntime } from "./linux/runtime.ts";
export { inspectMachine } from "./linux/inspect.ts";
export type { Finding, MachineReport } from "./linux/inspect.ts";
export type {
  KubeletContainerRequest,
  KubeletPath,
  KubeletPortRequest,
  KubeletProxyRequest,
  KubeletRequest,
  PodKey,
} from "./kubelet/request.ts";
export type { KubeletAnswer, KubeletCall, KubeletSink } from "./kubelet/call.ts";
export { isWanted, matchesTerm, preferenceFor } from "./placement/affinity.ts";
export { taintScore, tolerates, untolerated } from "./placement/taints.ts";
export { startServiceProxy } from "./services/proxy.ts";
export type { ServiceProxy, ServiceProxyOptions } from "./services/proxy.ts";
