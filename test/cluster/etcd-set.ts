/** Three etcd members as a StatefulSet with a disk each, and functions to query them. */
import { StatefulSet } from "@capstan/kinds/apps/v1";
import { Service } from "@capstan/kinds/v1";
import type { Client } from "@capstan/client";
import { until } from "./until.ts";

/** The cluster and namespace of the members. */
export interface Place {
  readonly client: Client;
  readonly namespace: string;
}

/** The name of the test image. */
export const etcdImage = "etcd-3.6";
const reference = "capstan.test/etcd:3.6.16";
const labels = { app: "etcd" };

/** The names of the members. */
export const members: readonly string[] = ["etcd-0", "etcd-1", "etcd-2"];

/** Starts the members and waits until all are healthy. */
export async function startEtcd({ client, namespace }: Place): Promise<void> {
  const ports = [
    { name: "client", port: 2379 },
    { name: "peer", port: 2380 },
  ];
  await client.create(Service, {
    metadata: { name: "etcd", namespace },
    spec: { clusterIP: "None", publishNotReadyAddresses: true, selector: labels, ports },
  });
  await client.apply(StatefulSet, { metadata: { name: "etcd", namespace }, spec }, { fieldManager: "test" });
  await untilMembers({ client, namespace });
}

/** Waits until three members are ready. */
export async function untilMembers({ client, namespace }: Place): Promise<void> {
  await until(
    "three members are ready",
    async () => {
      return (await client.get(StatefulSet, { namespace, name: "etcd" })).status?.readyReplicas === 3;
    },
    300_000,
  );
}

/** Runs etcdctl in a member; undefined when it fails. */
export async function etcdctl(
  { client, namespace }: Place,
  member: string,
  words: readonly string[],
): Promise<string | undefined> {
  const command = ["etcdctl", "--command-timeout=5s", "--dial-timeout=5s", ...words];
  try {
    const session = await client.exec({ namespace, name: member, command });
    const { code, stdout } = await session.finish();
    return code === 0 ? stdout.trim() : undefined;
  } catch {
    return undefined;
  }
}

const spec = {
  replicas: 3,
  serviceName: "etcd",
  podManagementPolicy: "Parallel" as const,
  selector: { matchLabels: labels },
  template: {
    metadata: { labels },
    spec: {
      terminationGracePeriodSeconds: 5,
      // No node has all members, so that one can be lost.
      topologySpreadConstraints: [
        {
          maxSkew: 1,
          topologyKey: "kubernetes.io/hostname",
          whenUnsatisfiable: "DoNotSchedule" as const,
          labelSelector: { matchLabels: labels },
        },
      ],
      containers: [
        {
          name: "etcd",
          image: reference,
          env: [{ name: "POD_NAME", valueFrom: { fieldRef: { fieldPath: "metadata.name" } } }],
          command: [
            "etcd",
            "--name=$(POD_NAME)",
            "--data-dir=/data/etcd",
            "--listen-peer-urls=http://0.0.0.0:2380",
            "--initial-advertise-peer-urls=http://$(POD_NAME).etcd:2380",
            "--listen-client-urls=http://0.0.0.0:2379",
            "--advertise-client-urls=http://$(POD_NAME).etcd:2379",
            `--initial-cluster=${members.map((name) => `${name}=http://${name}.etcd:2380`).join(",")}`,
            "--heartbeat-interval=500",
            "--election-timeout=5000",
          ],
          readinessProbe: { tcpSocket: { port: 2379 }, periodSeconds: 1 },
          volumeMounts: [{ name: "data", mountPath: "/data" }],
        },
      ],
    },
  },
  volumeClaimTemplates: [
    {
      metadata: { name: "data" },
      spec: { accessModes: ["ReadWriteOnce" as const], resources: { requests: { storage: "64Mi" } } },
    },
  ],
};
