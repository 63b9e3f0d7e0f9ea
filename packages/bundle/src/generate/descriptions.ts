/** The descriptive fields of an operator: display name, maintainers, links. */
import { compareText, isObject, type JsonObject } from "../decode/json.ts";
import { toTitle } from "./descriptors.ts";

/** The fields; missing ones come from the base or get a default. */
export interface OperatorDescription {
  readonly displayName?: string;
  readonly description?: string;
  readonly provider?: { readonly name: string; readonly url?: string };
  readonly maintainers?: readonly { readonly name: string; readonly email: string }[];
  readonly links?: readonly { readonly name: string; readonly url: string }[];
  readonly keywords?: readonly string[];
  readonly maturity?: string;
  readonly icon?: { readonly base64data: string; readonly mediatype: string };
  readonly minKubeVersion?: string;
  readonly capabilities?: string;
  readonly categories?: string;
}

/** A ClusterServiceVersion that holds what people say and nothing that can be worked out. */
export function baseCsv(name: string, words: OperatorDescription): JsonObject {
  const title = words.displayName ?? toTitle(name);
  const { provider, maintainers = [], links = [], icon, minKubeVersion } = words;
  const annotations = {
    "alm-examples": "[]",
    capabilities: words.capabilities ?? "Basic Install",
    ...(words.categories === undefined ? {} : { categories: words.categories }),
  };
  return {
    apiVersion: "operators.coreos.com/v1alpha1",
    kind: "ClusterServiceVersion",
    // As operator-sdk writes it; the namespace is OLM's to fill in.
    metadata: { annotations, name: `${name}.v0.0.0`, namespace: "placeholder" },
    spec: sorted({
      apiservicedefinitions: {},
      customresourcedefinitions: {},
      description: words.description ?? title,
      displayName: title,
      ...(icon === undefined ? {} : { icon: [{ ...icon }] }),
      install: { spec: { deployments: null }, strategy: "" },
      installModes: ["OwnNamespace", "SingleNamespace", "MultiNamespace", "AllNamespaces"].map((type) => ({
        supported: type === "AllNamespaces",
        type,
      })),
      keywords: words.keywords !== undefined && words.keywords.length > 0 ? [...words.keywords] : [name],
      ...(links.length > 0 ? { links: links.map((one) => ({ ...one })) } : {}),
      ...(maintainers.length > 0
        ? { maintainers: maintainers.map(({ name: who, email }) => ({ email, name: who })) }
        : {}),
      maturity: words.maturity ?? "alpha",
      ...(minKubeVersion === undefined ? {} : { minKubeVersion }),
      ...(provider === undefined ? {} : { provider: { ...provider } }),
      version: "0.0.0",
    }),
  };
}

/** The same keys sorted by name, so that the output is deterministic. */
export function sorted(value: JsonObject): JsonObject {
  return Object.fromEntries(
    Object.entries(value)
      .sort(([a], [b]) => compareText(a, b))
      .map(([key, one]) => [key, isObject(one) ? sorted(one) : one]),
  );
}
