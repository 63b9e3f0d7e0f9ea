/** The calls on running pods. */
import type { Sender } from "../call/send.ts";
import type { Transport } from "../transport/transport.ts";
import { attach, exec } from "./exec.ts";
import type { AttachOptions, ExecOptions, ExecSession } from "./exec.ts";
import { readLogs } from "./logs.ts";
import type { LogOptions, Logs } from "./logs.ts";
import { portForward } from "./port-forward.ts";
import type { PortConnection, PortForwardOptions } from "./port-forward.ts";
import { proxy } from "./proxy.ts";
import type { ProxyResponse, ProxyOptions, ProxyTarget } from "./proxy.ts";
import type { PodTarget } from "./target.ts";

/** The calls on running pods. */
export interface PodCalls {
  logs(pod: PodTarget & LogOptions): Logs;
  exec(pod: PodTarget & ExecOptions): Promise<ExecSession>;
  attach(pod: PodTarget & AttachOptions): Promise<ExecSession>;
  portForward(pod: PodTarget & PortForwardOptions): Promise<PortConnection>;
  /** An HTTP request to a pod, service or node through the API server. */
  proxy(target: ProxyTarget & ProxyOptions): Promise<ProxyResponse>;
}

/** The calls on running pods, over a sender and its transport. */
export function podCalls(sender: Sender, transport: Transport): PodCalls {
  const opener = { sender, transport };
  return {
    logs: (pod) => readLogs(sender, pod),
    exec: (pod) => exec(opener, pod),
    attach: (pod) => attach(opener, pod),
    portForward: (pod) => portForward(opener, pod),
    proxy: (target) => proxy(sender, target),
  };
}
