/** Scenarios of webhooks: admission, conversion, rules that are not allowed, certificates. */
import type { Json } from "@capstan/model";
import {
  apply,
  crd,
  csv,
  deployment,
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
import { type Scenario, scenario } from "../scenario.ts";

type Fields = { readonly [field: string]: Json };

function webhook(fields: Fields = {}): Json {
  return {
    generateName: "check.example.com",
    type: "ValidatingAdmissionWebhook",
    deploymentName: "foo",
    containerPort: 9443,
    targetPort: 9443,
    admissionReviewVersions: ["v1"],
    sideEffects: "None",
    failurePolicy: "Ignore",
    webhookPath: "/check",
    rules: [{ apiGroups: ["example.org"], apiVersions: ["v1"], operations: ["CREATE"], resources: ["things"] }],
    ...fields,
  };
}

const conversion = ({ group: place }: { readonly group: string }): Json =>
  webhook({
    type: "ConversionWebhook",
    generateName: "convert.example.com",
    conversionCRDs: [`foos.${place}`],
    rules: [],
  });

/** The scenarios. */
export const webhookScenarios: readonly Scenario[] = [
  scenario("hook-validating", "a validating webhook", (names) => [
    ...ownNamespace(names.ns),
    ...ready(names),
    apply(within(names.ns, csv(names, { spec: { webhookdefinitions: [webhook()] } }))),
    settle(),
  ]),
  scenario("hook-mutating", "a mutating webhook of a group for all namespaces", (names) => [
    namespace(names.ns),
    group(names.ns),
    ...ready(names),
    apply(
      within(
        names.ns,
        csv(names, {
          spec: {
            webhookdefinitions: [
              webhook({ type: "MutatingAdmissionWebhook", reinvocationPolicy: "IfNeeded", timeoutSeconds: 5 }),
            ],
          },
        }),
      ),
    ),
    settle(),
  ]),
  scenario("hook-selector-group", "a webhook in a group by labels", (names) => [
    namespace(names.ns, { [names.id]: "yes" }),
    group(names.ns, { selector: { matchLabels: { [names.id]: "yes" } } }),
    ...ready(names),
    apply(
      within(
        names.ns,
        csv(names, { spec: { webhookdefinitions: [webhook({ objectSelector: { matchLabels: { a: "b" } } })] } }),
      ),
    ),
    settle(),
  ]),
  scenario("hook-two", "two webhooks of one Deployment", (names) => [
    ...ownNamespace(names.ns),
    ...ready(names),
    apply(
      within(
        names.ns,
        csv(names, {
          spec: {
            webhookdefinitions: [
              webhook(),
              webhook({ generateName: "second.example.com", type: "MutatingAdmissionWebhook", webhookPath: "/second" }),
            ],
          },
        }),
      ),
    ),
    settle(),
  ]),
  scenario("hook-duplicate", "two webhooks of one name", (names) => [
    ...ownNamespace(names.ns),
    ...ready(names),
    apply(within(names.ns, csv(names, { spec: { webhookdefinitions: [webhook(), webhook()] } }))),
    settle(),
  ]),
  scenario("hook-deleted", "a webhook configuration is deleted", (names) => [
    ...ownNamespace(names.ns),
    ...ready(names),
    apply(within(names.ns, csv(names, { spec: { webhookdefinitions: [webhook()] } }))),
    settle(),
    remove(target("v1", "Service", "foo-service", names.ns)),
    settle(),
  ]),
  scenario("hook-certificate-deleted", "the Secret with the certificate is deleted", (names) => [
    ...ownNamespace(names.ns),
    ...ready(names),
    apply(within(names.ns, csv(names, { spec: { webhookdefinitions: [webhook()] } }))),
    settle(),
    remove(target("v1", "Secret", "foo-service-cert", names.ns)),
    settle(),
  ]),
  scenario("hook-csv-deleted", "an operator with a webhook is deleted", (names) => [
    ...ownNamespace(names.ns),
    ...ready(names),
    apply(within(names.ns, csv(names, { spec: { webhookdefinitions: [webhook()] } }))),
    settle(),
    remove(of("ClusterServiceVersion", names.ns, "foo.v1.0.0")),
    settle(),
  ]),
  scenario("hook-conversion", "a conversion webhook", (names) => [
    namespace(names.ns),
    group(names.ns),
    ...ready(names),
    apply(
      within(names.ns, csv(names, { modes: ["AllNamespaces"], spec: { webhookdefinitions: [conversion(names)] } })),
    ),
    settle(),
    remove(of("ClusterServiceVersion", names.ns, "foo.v1.0.0")),
    settle(),
  ]),
  scenario("hook-conversion-own", "a conversion webhook of an operator for its own namespace", (names) => [
    ...ownNamespace(names.ns),
    ...ready(names),
    apply(within(names.ns, csv(names, { spec: { webhookdefinitions: [conversion(names)] } }))),
    settle(),
  ]),
  scenario("hook-conversion-foreign", "a conversion webhook for a CRD that the operator does not own", (names) => [
    namespace(names.ns),
    group(names.ns),
    ...ready(names),
    apply(crd(names, "bar")),
    apply(
      within(
        names.ns,
        csv(names, {
          modes: ["AllNamespaces"],
          spec: {
            webhookdefinitions: [
              webhook({
                type: "ConversionWebhook",
                generateName: "convert.example.com",
                conversionCRDs: [`bars.${names.group}`],
                rules: [],
              }),
            ],
          },
        }),
      ),
    ),
    settle(),
  ]),
  ...(
    [
      ["all-groups", { apiGroups: ["*"], resources: ["*"] }],
      ["olm", { apiGroups: ["operators.coreos.com"], resources: ["subscriptions"] }],
      ["hooks", { apiGroups: ["admissionregistration.k8s.io"], resources: ["mutatingwebhookconfigurations"] }],
    ] as const
  ).map(([name, rules]) =>
    scenario(`hook-forbidden-${name}`, `a webhook with forbidden rules: ${name}`, (names) => [
      ...ownNamespace(names.ns),
      ...ready(names),
      apply(
        within(
          names.ns,
          csv(names, {
            spec: {
              webhookdefinitions: [
                webhook({
                  rules: [
                    {
                      apiGroups: [...rules.apiGroups],
                      apiVersions: ["*"],
                      operations: ["*"],
                      resources: [...rules.resources],
                    },
                  ],
                }),
              ],
            },
          }),
        ),
      ),
      settle(),
    ]),
  ),
  scenario("hook-ports", "a webhook with default ports and two containers", (names) => [
    ...ownNamespace(names.ns),
    ...ready(names),
    apply(
      within(
        names.ns,
        csv(names, {
          deployments: [deployment("foo", { env: [{ name: "A", value: "b" }] })],
          spec: {
            webhookdefinitions: [
              {
                generateName: "plain.example.com",
                type: "ValidatingAdmissionWebhook",
                deploymentName: "foo",
                admissionReviewVersions: ["v1"],
                sideEffects: "None",
                failurePolicy: "Ignore",
                rules: [
                  { apiGroups: ["example.org"], apiVersions: ["v1"], operations: ["CREATE"], resources: ["things"] },
                ],
              },
            ],
          },
        }),
      ),
    ),
    settle(),
    patch(target("apps/v1", "Deployment", "foo", names.ns), { spec: { replicas: 2 } }),
    settle(),
  ]),
];
