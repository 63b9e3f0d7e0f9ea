/** A Shop, with everything that an operator usually needs: each part is shown alone in one of the earlier examples. */
import { controller, defineResource, every, operator, s, TerminalError } from "capstan";
import { Deployment } from "capstan/kinds/apps/v1";
import { ConfigMap, Service } from "capstan/kinds/v1";

/** Stands for the registrar of domain names, which is outside the cluster. */
export const registrar = { domains: new Map<string, string>() };

const common = { domain: s.string().pattern("^[a-z.]+$"), theme: s.string().optional() };

export const Shop = defineResource({
  group: "example.com",
  kind: "Shop",
  shortNames: ["sh"],
  versions: {
    v1: { spec: s.object({ ...common, small: s.boolean().default(true) }), deprecated: "write v2 with replicas" },
    v2: {
      spec: s.object({ ...common, replicas: s.int32().min(0).max(50).default(1) }),
      status: s.object({ replicas: s.int32(), address: s.string() }),
      scale: { spec: "spec.replicas", status: "status.replicas" },
      columns: { Domain: "spec.domain", Ready: "status.replicas", Open: "condition:Open" },
      selectable: ["spec.domain"],
      storage: true,
    },
  },
  convert: {
    "v1->v2": ({ small, ...rest }) => ({ ...rest, replicas: small ? 1 : 3 }),
    "v2->v1": ({ replicas, ...rest }) => ({ ...rest, small: replicas < 2 }),
  },
  conditions: { Open: "Customers can buy" },
  default: (draft) => {
    draft.spec.theme ??= "plain";
  },
  validate: ({ object, old, reject }) => {
    if (old && old.spec.domain !== object.spec.domain) reject("spec.domain", "customers know it; make another shop");
  },
});

interface Servers {
  readonly labels: { readonly [key: string]: string };
  readonly replicas: number;
  readonly style: string;
}

function servers({ labels, replicas, style }: Servers) {
  const container = { name: "shop", image: "shop:1", env: [{ name: "STYLE", value: style }] };
  const template = { metadata: { labels }, spec: { containers: [container] } };
  return { spec: { replicas, selector: { matchLabels: labels }, template } };
}

export const shop = controller(
  Shop,
  {
    owns: [Deployment, Service],
    reads: [ConfigMap],
    sources: [every("10m", { name: "ask the registrar" })],
    concurrency: 4,
    timeout: "1m",
    cleanup: ({ object }) => void registrar.domains.delete(object.spec.domain),
  },
  async ({ object, apply, get, status, event, step }) => {
    const { name, uid } = object.metadata;
    const { domain, replicas, theme = "plain" } = object.spec;
    const holder = registrar.domains.get(domain) ?? uid;
    if (holder !== uid) {
      status.condition("Open", false, { reason: "DomainTaken", message: `${domain} belongs to another shop` });
      throw new TerminalError(`${domain} belongs to another shop`);
    }
    await step("register the domain", () => void registrar.domains.set(domain, uid), { input: domain });

    const style = get(ConfigMap, `theme-${theme}`)?.data?.["css"] ?? "";
    const labels = { "example.com/shop": name };
    const deployment = await apply(Deployment, name, servers({ labels, replicas, style }));
    // A closed shop has no address: a child that is not applied this time is deleted.
    if (replicas > 0) await apply(Service, name, { spec: { selector: labels, ports: [{ port: 80 }] } });

    const isOpen = replicas > 0 && deployment.status?.readyReplicas === replicas;
    // Events of the same reason about the same object are counted, not repeated.
    if (isOpen) event("Normal", "Open", `${domain} is open`);
    status.replicas = deployment.status?.readyReplicas ?? 0;
    status.address = `http://${domain}`;
    status.condition("Open", isOpen);
  },
);

export const app = operator({ name: "shops", controllers: [shop] });

await app.runIfMain(import.meta);
