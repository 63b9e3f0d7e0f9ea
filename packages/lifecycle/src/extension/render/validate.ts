/** The rules that a bundle has to meet before its objects are made, with the messages of operator-controller. */
import { checkDns1123Subdomain, quote } from "@capstan/model";
import type { CsvWebhook } from "../../kinds/csv.ts";
import { isNamespaced, type RegistryBundle, supportedModes } from "./bundle.ts";

type Rule = (bundle: RegistryBundle) => readonly string[];

/** The problems of a bundle; none if it can be rendered. */
export function bundleProblems(bundle: RegistryBundle): readonly string[] {
  return rules.flatMap((rule) => rule(bundle));
}

function duplicates(names: readonly string[]): readonly string[] {
  return [...new Set(names.filter((name, at) => names.indexOf(name) !== at))].toSorted();
}

function deploymentsOf({ csv }: RegistryBundle): readonly string[] {
  return (csv.spec.install.spec?.deployments ?? []).map(({ name }) => name);
}

function webhooksOf({ csv }: RegistryBundle): readonly CsvWebhook[] {
  return csv.spec.webhookdefinitions ?? [];
}

function conversionsOf(bundle: RegistryBundle): readonly CsvWebhook[] {
  return webhooksOf(bundle).filter(({ type }) => type === "ConversionWebhook");
}

function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

const duplicateDeployments: Rule = (bundle) =>
  duplicates(deploymentsOf(bundle)).map(
    (name) => `cluster service version contains duplicate strategy deployment spec '${name}'`,
  );

const deploymentNames: Rule = (bundle) =>
  [...new Set(deploymentsOf(bundle))].toSorted().flatMap((name) => {
    const problems = checkDns1123Subdomain(name);
    if (problems.length === 0) return [];
    const list = problems.toSorted().join(", ");
    return [`invalid cluster service version strategy deployment name '${name}': ${list}`];
  });

const duplicateCrds: Rule = ({ crds }) =>
  duplicates(crds.map(({ metadata }) => metadata.name)).map(
    (name) => `bundle contains duplicate custom resource definition '${name}'`,
  );

const ownedCrds: Rule = ({ csv, crds }) => {
  const known = new Set(crds.map(({ metadata }) => metadata.name));
  const owned = csv.spec.customresourcedefinitions?.owned ?? [];
  const missing = new Set(owned.map(({ name }) => name).filter((name) => !known.has(name)));
  return [...missing]
    .toSorted()
    .map(
      (name) => `cluster service definition references owned custom resource definition '${name}' not found in bundle`,
    );
};

const packageName: Rule = (bundle) => (bundle.packageName === "" ? ["package name is empty"] : []);

const conversionModes: Rule = (bundle) => {
  const modes = supportedModes(bundle);
  if (modes.length === 1 && modes[0] === "AllNamespaces") return [];
  return conversionsOf(bundle).map(
    ({ generateName }) =>
      `bundle contains conversion webhook ${quote(generateName)} and supports install modes [${modes.join(" ")}] - conversion webhooks are only supported for bundles that only support AllNamespaces install mode`,
  );
};

const webhookDeployments: Rule = (bundle) => {
  const known = new Set(deploymentsOf(bundle));
  return webhooksOf(bundle)
    .filter(({ deploymentName = "" }) => !known.has(deploymentName))
    .toSorted(
      (a, b) =>
        compare(a.deploymentName ?? "", b.deploymentName ?? "") ||
        compare(a.type, b.type) ||
        compare(a.generateName, b.generateName),
    )
    .map(
      ({ type, generateName, deploymentName = "" }) =>
        `webhook of type '${type}' with name '${generateName}' references non-existent deployment '${deploymentName}'`,
    );
};

function byType(webhooks: readonly CsvWebhook[]): readonly (readonly [string, readonly string[]])[] {
  const types = [...new Set(webhooks.map(({ type }) => type))].toSorted();
  return types.map((type) => [
    type,
    webhooks.filter((each) => each.type === type).map(({ generateName }) => generateName),
  ]);
}

const duplicateWebhooks: Rule = (bundle) =>
  byType(webhooksOf(bundle)).flatMap(([type, names]) =>
    duplicates(names).map((name) => `duplicate webhook '${name}' of type '${type}'`),
  );

const webhookNames: Rule = (bundle) =>
  byType(webhooksOf(bundle)).flatMap(([type, names]) =>
    [...new Set(names)].toSorted().flatMap((name) => {
      const problems = checkDns1123Subdomain(name);
      return problems.length === 0
        ? []
        : [`webhook of type '${type}' has invalid name '${name}': ${problems.join(",")}`];
    }),
  );

const conversionCrds: Rule = (bundle) => {
  const webhooks = conversionsOf(bundle);
  const crds = new Set(webhooks.flatMap(({ conversionCRDs = [] }) => conversionCRDs));
  return [...crds].toSorted().flatMap((crd) => {
    const names = webhooks.filter((each) => each.conversionCRDs?.includes(crd)).map((each) => each.generateName);
    if (names.length < 2) return [];
    return [`conversion webhooks [${names.toSorted().join(",")}] reference same custom resource definition '${crd}'`];
  });
};

const conversionOwners: Rule = (bundle) => {
  const owned = new Set((bundle.csv.spec.customresourcedefinitions?.owned ?? []).map(({ name }) => name));
  return conversionsOf(bundle)
    .toSorted((a, b) => compare(a.generateName, b.generateName))
    .flatMap(({ generateName, conversionCRDs = [] }) =>
      conversionCRDs
        .toSorted()
        .filter((crd) => !owned.has(crd))
        .map(
          (crd) =>
            `conversion webhook '${generateName}' references custom resource definition '${crd}' not owned bundle`,
        ),
    );
};

const ADMISSION = "admissionregistration.k8s.io";
const forbiddenGroups: ReadonlySet<string> = new Set(["olm.operatorframework.io", "*"]);
const forbiddenResources: ReadonlySet<string> = new Set([
  "*",
  "mutatingwebhookconfiguration",
  "mutatingwebhookconfigurations",
  "validatingwebhookconfiguration",
  "validatingwebhookconfigurations",
]);

const webhookRules: Rule = (bundle) =>
  webhooksOf(bundle)
    .filter(({ type }) => type !== "ConversionWebhook")
    .flatMap(({ generateName, rules: list = [] }) => {
      const intro = `webhook ${quote(generateName)} contains forbidden rule: admission webhook rules cannot reference`;
      return list.flatMap(({ apiGroups = [], resources = [] }) =>
        apiGroups.flatMap((group) => [
          ...(forbiddenGroups.has(group) ? [`${intro} API group ${quote(group)}`] : []),
          ...resources
            .filter((resource) => group === ADMISSION && forbiddenResources.has(resource.toLowerCase()))
            .map((resource) => `${intro} resource ${quote(resource)} for API group ${quote(group)}`),
        ]),
      );
    });

const kinds: Rule = ({ others }) =>
  others
    .filter(({ kind }) => isNamespaced(kind) === undefined)
    .map(({ kind, metadata }) => `unsupported resource ${quote(metadata.name ?? "")} with kind ${quote(kind)}`);

const rules: readonly Rule[] = [
  duplicateDeployments,
  deploymentNames,
  duplicateCrds,
  ownedCrds,
  packageName,
  conversionModes,
  webhookDeployments,
  duplicateWebhooks,
  webhookNames,
  conversionCrds,
  conversionOwners,
  webhookRules,
  kinds,
];
