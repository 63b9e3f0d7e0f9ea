/** The first message to a program that misbehaves. */
import { once } from "node:events";

/** Where it misbehaves, and as which clients. */
export interface Orders {
  readonly kubeconfig: string;
  readonly namespace: string;
  readonly tokens: readonly string[];
}

/** Waits for the message. */
export async function receiveOrders(): Promise<Orders> {
  // The parent process sends nothing else.
  const [orders] = (await once(process, "message")) as [Orders];
  return orders;
}
