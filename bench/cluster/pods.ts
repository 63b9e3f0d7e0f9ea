/** Creates and deletes pods, and waits for them. */
import { setTimeout as wait } from "node:timers/promises";
import { type Client, isApiError } from "@capstan/client";
import { Pod } from "@capstan/kinds/v1";

const namespace = "default";
const image = "capstan.test/busybox:1";

/** Creates a pod that sleeps; resolves when a watch reports it as ready. */
export async function startPod(client: Client, name: string): Promise<void> {
  const events = client.watch(Pod, { namespace, fieldSelector: `metadata.name=${name}`, sendInitialEvents: true });
  const spec = {
    terminationGracePeriodSeconds: 0,
    containers: [{ name: "main", image, command: ["sleep", "100000"] }],
  };
  await client.create(Pod, { metadata: { name, namespace }, spec });
  for await (const event of events) {
    if (event.type === "ERROR") throw event.error;
    if (event.type === "BOOKMARK") continue;
    if (event.object.status?.conditions?.some(({ type, status }) => type === "Ready" && status === "True")) return;
  }
}

/** Deletes a pod and waits until it is gone. */
export async function endPod(client: Client, name: string): Promise<void> {
  await client.delete(Pod, { namespace, name });
  const isThere = (): Promise<boolean> =>
    client.get(Pod, { namespace, name }).then(
      () => true,
      (error: unknown) => {
        if (isApiError(error, "NotFound")) return false;
        throw error;
      },
    );
  while (await isThere()) await wait(10);
}
