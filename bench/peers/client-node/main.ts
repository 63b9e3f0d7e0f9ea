/** The controller of the benchmark, written with @kubernetes/client-node: two informers and a queue by hand. */
import {
  CoreV1Api,
  CustomObjectsApi,
  KubeConfig,
  makeInformer,
  PatchStrategy,
  setHeaderOptions,
  type KubernetesObject,
  type V1ConfigMap,
} from "@kubernetes/client-node";

interface Widget extends KubernetesObject {
  readonly spec: { readonly size: number };
  readonly status?: { readonly size?: number; readonly observedGeneration?: number };
}

const config = new KubeConfig();
config.loadFromDefault();
const core = config.makeApiClient(CoreV1Api);
const custom = config.makeApiClient(CustomObjectsApi);
const group = { group: "bench.example.com", version: "v1", plural: "widgets" };

const widgets = makeInformer<Widget>(
  config,
  "/apis/bench.example.com/v1/widgets",
  async () => (await custom.listCustomObjectForAllNamespaces({ ...group, resourcePlural: group.plural })) as never,
);
const maps = makeInformer<V1ConfigMap>(config, "/api/v1/configmaps", () => core.listConfigMapForAllNamespaces());

const waiting = new Set<string>();
const running = new Set<string>();

function wake(key: string): void {
  waiting.add(key);
  pump();
}

function pump(): void {
  for (const key of waiting) {
    if (running.size >= 16) return;
    if (running.has(key)) continue;
    waiting.delete(key);
    running.add(key);
    void reconcile(key)
      .catch(() => waiting.add(key))
      .finally(() => {
        running.delete(key);
        pump();
      });
  }
}

async function reconcile(key: string): Promise<void> {
  const [namespace = "", name = ""] = key.split("/");
  const widget = widgets.get(name, namespace);
  if (widget === undefined) return;
  const size = String(widget.spec.size);
  if (maps.get(name, namespace)?.data?.["size"] !== size) {
    const ownerReferences = [
      {
        apiVersion: "bench.example.com/v1",
        kind: "Widget",
        name,
        uid: widget.metadata?.uid ?? "",
        controller: true,
        blockOwnerDeletion: true,
      },
    ];
    const body = {
      apiVersion: "v1",
      kind: "ConfigMap",
      metadata: { name, namespace, ownerReferences },
      data: { size },
    };
    await core.patchNamespacedConfigMap(
      { name, namespace, body, fieldManager: "widget", force: true },
      setHeaderOptions("Content-Type", PatchStrategy.ServerSideApply),
    );
  }
  const observedGeneration = widget.metadata?.generation ?? 0;
  if (widget.status?.size === widget.spec.size && widget.status.observedGeneration === observedGeneration) return;
  const body = { status: { size: widget.spec.size, observedGeneration } };
  await custom.patchNamespacedCustomObjectStatus(
    { ...group, name, namespace, body },
    setHeaderOptions("Content-Type", PatchStrategy.MergePatch),
  );
}

const keyOf = ({ metadata }: KubernetesObject): string => `${metadata?.namespace}/${metadata?.name}`;
for (const event of ["add", "update"] as const) {
  widgets.on(event, (widget) => wake(keyOf(widget)));
  maps.on(event, (map) => {
    if (map.metadata?.ownerReferences?.[0]?.kind === "Widget") wake(keyOf(map));
  });
}
for (const informer of [widgets, maps]) {
  informer.on("error", () => {
    setTimeout(() => void informer.start(), 1000);
  });
  await informer.start();
}
