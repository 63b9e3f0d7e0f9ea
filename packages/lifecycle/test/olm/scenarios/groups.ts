/** Scenarios of OperatorGroups and install modes. */
import {
  account,
  apply,
  csv,
  group,
  namespace,
  of,
  ownNamespace,
  patch,
  ready,
  remove,
  settle,
  target,
  within,
} from "../content.ts";
import { type Names, type Scenario, scenario } from "../scenario.ts";

const ALL = ["OwnNamespace", "SingleNamespace", "MultiNamespace", "AllNamespaces"];

/** Every install mode alone, against every kind of group. */
function modes(): readonly Scenario[] {
  const targets: readonly (readonly [string, (names: Names) => object])[] = [
    ["own", ({ ns }) => ({ targetNamespaces: [ns] })],
    ["single", ({ id }) => ({ targetNamespaces: [`${id}-other`] })],
    ["multi", ({ id }) => ({ targetNamespaces: [`${id}-other`, `${id}-third`] })],
    ["with-own", ({ id, ns }) => ({ targetNamespaces: [ns, `${id}-other`] })],
    ["all", () => ({})],
  ];
  return targets.flatMap(([name, spec]) =>
    ALL.map((mode) =>
      scenario(
        `mode-${name}-${mode.toLowerCase().replace(/namespaces?$/u, "")}`,
        `${mode} in a group of ${name}`,
        (names) => [
          namespace(names.ns),
          namespace(`${names.id}-other`),
          namespace(`${names.id}-third`),
          ...ready(names),
          group(names.ns, spec(names)),
          apply(within(names.ns, csv(names, { modes: [mode] }))),
          settle(),
        ],
      ),
    ),
  );
}

/** The scenarios. */
export const groupScenarios: readonly Scenario[] = [
  ...modes(),
  scenario("group-none", "an operator without a group, then with one", (names) => [
    namespace(names.ns),
    ...ready(names),
    apply(within(names.ns, csv(names))),
    settle(),
    group(names.ns, { targetNamespaces: [names.ns] }),
    settle(),
  ]),
  scenario("group-two", "an operator with two groups, then with one", (names) => [
    ...ownNamespace(names.ns),
    group(names.ns, { targetNamespaces: [names.ns] }, { name: "second" }),
    ...ready(names),
    apply(within(names.ns, csv(names))),
    settle(),
    remove(of("OperatorGroup", names.ns, "second")),
    settle(),
  ]),
  scenario("group-second-later", "a second group beside a running operator", (names) => [
    ...ownNamespace(names.ns),
    ...ready(names),
    apply(within(names.ns, csv(names))),
    settle(),
    group(names.ns, { targetNamespaces: [names.ns] }, { name: "second" }),
    settle(),
  ]),
  scenario("group-selector", "a group by labels; a namespace joins and leaves", (names) => [
    namespace(names.ns),
    namespace(`${names.id}-a`, { [names.id]: "yes" }),
    namespace(`${names.id}-b`),
    ...ready(names),
    group(names.ns, { selector: { matchLabels: { [names.id]: "yes" } } }),
    apply(within(names.ns, csv(names))),
    settle(),
    patch(target("v1", "Namespace", `${names.id}-b`), { metadata: { labels: { [names.id]: "yes" } } }),
    settle(),
    patch(target("v1", "Namespace", `${names.id}-a`), { metadata: { labels: { [names.id]: null } } }),
    settle(),
  ]),
  scenario("group-selector-none", "a group by labels that no namespace has", (names) => [
    namespace(names.ns),
    ...ready(names),
    group(names.ns, { selector: { matchLabels: { [names.id]: "yes" } } }),
    apply(within(names.ns, csv(names))),
    settle(),
  ]),
  scenario("group-targets-change", "the targets of a group change", (names) => [
    ...ownNamespace(names.ns),
    namespace(`${names.id}-other`),
    ...ready(names),
    apply(within(names.ns, csv(names))),
    settle(),
    patch(of("OperatorGroup", names.ns, "group"), { spec: { targetNamespaces: [names.ns, `${names.id}-other`] } }),
    settle(),
    patch(of("OperatorGroup", names.ns, "group"), { spec: { targetNamespaces: [names.ns] } }),
    settle(),
  ]),
  scenario("group-missing-target", "a group with a namespace that does not exist", (names) => [
    namespace(names.ns),
    ...ready(names),
    group(names.ns, { targetNamespaces: [`${names.id}-gone`] }),
    apply(within(names.ns, csv(names))),
    settle(),
  ]),
  scenario("group-intersecting", "two groups with a common namespace and the same API", (names) => [
    ...ownNamespace(names.ns),
    namespace(`${names.id}-two`),
    ...ready(names),
    apply(within(names.ns, csv(names))),
    settle(),
    group(`${names.id}-two`, { targetNamespaces: [names.ns, `${names.id}-two`] }),
    account(`${names.id}-two`),
    apply(within(`${names.id}-two`, csv(names))),
    settle(),
  ]),
  scenario("group-static", "a static group without the API of its operator", (names) => [
    namespace(names.ns),
    ...ready(names),
    group(names.ns, { targetNamespaces: [names.ns], staticProvidedAPIs: true }),
    apply(within(names.ns, csv(names))),
    settle(),
  ]),
  scenario("group-static-annotated", "a static group that names the API of its operator", (names) => [
    namespace(names.ns),
    ...ready(names),
    group(
      names.ns,
      { targetNamespaces: [names.ns], staticProvidedAPIs: true },
      { annotations: { "olm.providedAPIs": `Foo.v1.${names.group}` } },
    ),
    apply(within(names.ns, csv(names))),
    settle(),
  ]),
  scenario("group-account-missing", "a group with a service account that does not exist", (names) => [
    namespace(names.ns),
    group(names.ns, { targetNamespaces: [names.ns], serviceAccountName: "scoped" }),
    settle(),
    account(names.ns, "scoped"),
    settle(),
  ]),
  scenario("group-deleted", "the group of a running operator is deleted", (names) => [
    ...ownNamespace(names.ns),
    ...ready(names),
    apply(within(names.ns, csv(names))),
    settle(),
    remove(of("OperatorGroup", names.ns, "group")),
    settle(),
  ]),
];
