import assert from "node:assert/strict";
import { test } from "node:test";
import { disruptionBudget } from "./shared-objects.ts";
import { flagsOf } from "./flags.ts";
import { merge } from "capstan/stateful/parts";
import { bootAnnotations, buildPod, templateHashOf } from "./pod.ts";
import type { ClusterSpec, PodTemplateInput } from "./pod.ts";
import { quotaOf } from "./profile.ts";

const place = { name: "e", namespace: "n", isSecure: false };

function formOf(spec: Partial<ClusterSpec> = {}): PodTemplateInput {
  const usual = {
    options: {},
    profile: "small",
    image: "etcd:{version}",
    imagePullSecrets: [],
    maintenance: { compaction: { mode: "Off", retention: "1h" } },
  };
  return { place, uid: "u", trust: "", spec: { ...usual, ...spec } as ClusterSpec };
}

function podOf(template: PodTemplateInput, boot: "live" | "join" | "seed" = "live") {
  return buildPod(template, { member: "e-3", boot, version: "3.6.16", peers: ["e-1", "e-2", "e-3"] });
}

/** The arguments as the kubelet expands them at the start of the container: variables come from the pod's present annotations. */
function startedWith({ metadata, spec }: ReturnType<typeof buildPod>): readonly string[] {
  const [container] = spec?.containers ?? [];
  return (container?.args ?? []).map((arg) =>
    String(arg).replace(/\$\((\w+)\)/u, (_whole, name: string) => {
      const path = container?.env?.find((variable) => variable.name === name)?.valueFrom?.fieldRef?.fieldPath ?? "";
      return metadata?.annotations?.[path.slice("metadata.annotations['".length, -"']".length)] ?? "";
    }),
  );
}

test("bootstrap flags are cleared by annotations, and a template cannot set them", () => {
  const env = [
    { name: "INITIAL_CLUSTER_STATE", value: "new" },
    { name: "GOMAXPROCS", value: "2" },
  ];
  const pod = podOf(formOf({ podTemplate: { spec: { containers: [{ name: "etcd", env }] } } }), "join");
  const given = pod.spec?.containers?.[0]?.env ?? [];
  assert.deepEqual(given.filter(({ name }) => name === "INITIAL_CLUSTER_STATE").length, 1);
  assert.ok(given.some(({ name, value }) => name === "GOMAXPROCS" && value === "2"));
  const live = bootAnnotations(formOf(), { member: "e-3", boot: "live", peers: [] });
  const weaned = { ...pod, metadata: { ...pod.metadata, annotations: { ...pod.metadata?.annotations, ...live } } };
  assert.deepEqual(startedWith(weaned), startedWith(podOf(formOf(), "live")));
});

test("the initial check can be switched while the pod exists", () => {
  for (const [version, flag] of [
    ["3.6.16", "--feature-gates=InitialCorruptCheck=VALUE,CompactHashCheck=true"],
    ["3.5.35", "--experimental-initial-corrupt-check=VALUE"],
  ] as const) {
    const pod = buildPod(formOf(), { member: "e-3", boot: "live", version, peers: [] });
    const told = (isExcused: boolean) => {
      const annotations = bootAnnotations(formOf(), { member: "e-3", boot: "live", peers: [], isExcused });
      return startedWith({ ...pod, metadata: { ...pod.metadata, annotations } });
    };
    assert.ok(startedWith(pod).includes(flag.replace("VALUE", "true")));
    assert.deepEqual(told(false), startedWith(pod));
    assert.ok(told(true).includes(flag.replace("VALUE", "false")));
  }
});

test("a member with data joins a cluster without peers, a new one joins all", () => {
  const flags = (boot: "live" | "join" | "seed"): readonly string[] => startedWith(podOf(formOf(), boot));
  assert.ok(flags("live").includes("--initial-cluster=e-3=http://e-3.e.n.svc:2380"));
  assert.ok(flags("live").includes("--initial-cluster-state=existing"));
  assert.ok(
    flags("join").includes(
      "--initial-cluster=e-1=http://e-1.e.n.svc:2380,e-2=http://e-2.e.n.svc:2380,e-3=http://e-3.e.n.svc:2380",
    ),
  );
  assert.ok(flags("seed").includes("--initial-cluster-state=new"));
  assert.ok(flags("seed").includes("--initial-cluster-token=u-e-3"));
});

test("experimental flags have the names of each minor version", () => {
  const input = {
    place: { ...place, isSecure: true },
    token: "t",
    member: "e-0",
    boot: "live",
    peers: [],
    quota: 1,
    compaction: { mode: "Off", retention: "" },
    options: { "feature-gates": "LeaseCheckpoint=true" },
  } as const;
  const flags = (version: string): string => flagsOf({ ...input, version }).join(" ");
  assert.match(
    flags("3.5.35"),
    /--experimental-peer-skip-client-san-verification=true.*--experimental-initial-corrupt-check=true/u,
  );
  assert.doesNotMatch(flags("3.7.3"), /experimental/u);
  assert.match(flags("3.7.3"), /--feature-gates=InitialCorruptCheck=true,CompactHashCheck=true,LeaseCheckpoint=true/u);
});

test("pull secrets are in the pod, which is recreated when they change", () => {
  const imagePullSecrets = [{ name: "registry" }];
  const template = formOf({ imagePullSecrets });
  assert.deepEqual(podOf(template).spec?.imagePullSecrets, imagePullSecrets);
  assert.equal(podOf(formOf()).spec?.imagePullSecrets, undefined);
  assert.notEqual(templateHashOf(template, "3.6.16"), templateHashOf(formOf(), "3.6.16"));
});

const secure = (mode: "Managed" | "Provided"): PodTemplateInput => ({
  ...formOf({ tls: { mode } } as Partial<ClusterSpec>),
  place: { ...place, isSecure: true },
  mounts: { server: "e-server", peer: "e-peer" },
});

test("the peer port accepts peer certificates only, if the operator issues them", () => {
  const args = (template: PodTemplateInput): string => podOf(template).spec?.containers?.[0]?.args?.join(" ") ?? "";
  assert.match(args(secure("Managed")), /--peer-cert-allowed-cn=e-peer/u);
  assert.doesNotMatch(args(secure("Provided")), /allowed/u);
  const template = secure("Managed");
  const options = { "peer-cert-allowed-hostname": "peer.example.com" };
  assert.doesNotMatch(args({ ...template, spec: { ...template.spec, options } }), /allowed-cn/u);
});

test("template hashes are those of earlier operators: a change restarts all members", () => {
  const maintenance = { compaction: { mode: "Periodic", retention: "1h" } } as ClusterSpec["maintenance"];
  const off = formOf({ maintenance });
  assert.equal(templateHashOf(off, "3.5.35"), "7d76c86387630ca8");
  assert.equal(templateHashOf(off, "3.6.16"), "7933225446ded50e");
  const secured = (mode: "Managed" | "Provided"): PodTemplateInput => ({
    ...secure(mode),
    trust: "t",
    spec: formOf({ maintenance, tls: { mode } } as Partial<ClusterSpec>).spec,
  });
  assert.equal(templateHashOf(secured("Provided"), "3.6.16"), "a615455319355979");
  assert.equal(templateHashOf(secured("Managed"), "3.6.16"), "9aaf5bc4f1f9bb13");
});

test("the quota is that of the option, else of the profile", () => {
  assert.equal(quotaOf({ profile: "medium", options: {} }), 4 * 2 ** 30);
  assert.equal(quotaOf({ profile: "large", options: {} }), 8 * 2 ** 30);
  assert.equal(quotaOf({ profile: "large", options: { "quota-backend-bytes": "1000" } }), 1000);
});

test("the user's template is merged by name, and cannot change the pod's identity", () => {
  const podTemplate = {
    metadata: { labels: { team: "orders", "etcd.capstan.dev/member": "liar" } },
    spec: {
      hostname: "liar",
      nodeSelector: { disk: "fast" },
      containers: [
        { name: "etcd", command: ["sh"], env: [{ name: "A", value: "b" }] },
        { name: "sidecar", image: "x" },
      ],
    },
  };
  const pod = podOf(formOf({ podTemplate }));
  const [etcd, sidecar] = pod.spec?.containers ?? [];
  assert.deepEqual(etcd?.command, ["/usr/local/bin/etcd"]);
  assert.deepEqual(etcd?.env?.at(-1), { name: "A", value: "b" });
  assert.equal(sidecar?.name, "sidecar");
  assert.equal(pod.spec?.hostname, "e-3");
  assert.deepEqual(pod.spec?.nodeSelector, { disk: "fast" });
  assert.deepEqual(
    [pod.metadata?.labels?.["team"], pod.metadata?.labels?.["etcd.capstan.dev/member"]],
    ["orders", "e-3"],
  );
});

test("a template hash changes only with the input of a pod", () => {
  const print = templateHashOf(formOf(), "3.6.16");
  assert.equal(templateHashOf(formOf({ size: 7 } as Partial<ClusterSpec>), "3.6.16"), print);
  assert.notEqual(templateHashOf(formOf(), "3.7.3"), print);
  assert.notEqual(templateHashOf(formOf({ options: { "snapshot-count": "1" } }), "3.6.16"), print);
  assert.notEqual(templateHashOf({ ...formOf(), trust: "new" }, "3.6.16"), print);
});

test("liveness works without a leader, readiness does not", () => {
  const [etcd] = podOf(formOf()).spec?.containers ?? [];
  assert.match(etcd?.livenessProbe?.httpGet?.path ?? "", /serializable=true/u);
  assert.doesNotMatch(etcd?.readinessProbe?.httpGet?.path ?? "", /serializable/u);
  assert.notEqual(etcd?.startupProbe, undefined);
});

test("the disruption budget keeps a quorum", () => {
  assert.deepEqual(
    [1, 2, 3, 4, 5, 7].map((size) => disruptionBudget("e", size).spec?.minAvailable),
    [1, 2, 2, 3, 3, 4],
  );
});

test("lists without names are replaced, lists with names are merged", () => {
  assert.deepEqual(merge({ a: [1], b: [{ name: "x", v: 1 }] }, { a: [2], b: [{ name: "x", w: 2 }, { name: "y" }] }), {
    a: [2],
    b: [{ name: "x", v: 1, w: 2 }, { name: "y" }],
  });
});

test("a template can neither set reserved flags by variables nor move the data", () => {
  const made = (part: object, volumes: readonly object[] = []) => {
    const podTemplate = { spec: { containers: [{ name: "etcd", ...part }], volumes } };
    const { spec } = podOf(formOf({ podTemplate }));
    return { ...spec?.containers?.find(({ name }) => name === "etcd"), volumes: spec?.volumes };
  };
  const variables = (...names: readonly string[]): readonly string[] => {
    const { env = [] } = made({ env: names.map((name) => ({ name, value: "true" })) });
    return env.flatMap(({ name }) => (name.startsWith("INITIAL_") ? [] : [name]));
  };
  const harmless = ["GOGC", "ETCD_SNAPSHOT_COUNT", "ETCD_LOG_LEVEL"];
  const own = ["FORCE_NEW_CLUSTER", "UNSAFE_NO_FSYNC", "CONFIG_FILE", "WAL_DIR", "STRICT_RECONFIG_CHECK"];
  assert.deepEqual(variables(...harmless, ...own.map((flag) => `ETCD_${flag}`)), harmless);
  assert.equal(made({ envFrom: [{ configMapRef: { name: "x" } }] }).envFrom, undefined);
  const mounts = [
    { name: "data", mountPath: "/tmp/x", subPath: "x" },
    { name: "x", mountPath: "/var/lib/etcd/member" },
    { name: "y", mountPath: "/var/lib" },
    { name: "z", mountPath: "/var/lib/etcd-tools" },
  ];
  const { volumeMounts = [] } = made({ volumeMounts: mounts });
  const kept = volumeMounts.filter(({ mountPath }) => !mountPath.startsWith("/etc"));
  assert.deepEqual(kept, [{ name: "data", mountPath: "/var/lib/etcd" }, mounts[3]]);
  for (const other of [{ persistentVolumeClaim: { claimName: "shared" } }, { emptyDir: {} }]) {
    const { volumes = [] } = made({}, [{ name: "data", ...other }]);
    const data = { name: "data", persistentVolumeClaim: { claimName: "data-e-3" } };
    assert.deepEqual(
      volumes.filter(({ name }) => name === "data"),
      [data],
    );
  }
});
