/** Typical mistakes in operators: each is a change of one of two programs that compile. */

/** A program with one mistake. */
export interface Mistake {
  readonly title: string;
  readonly program: "one version" | "two versions";
  /** The text to replace, which occurs once. */
  readonly replace: string;
  readonly by: string;
  /** A part of the line at which the compiler must report it. */
  readonly at: string;
  /** The number of errors before the types of definitions were made for this. */
  readonly before: number;
  /** The number of errors, if more than one is right. */
  readonly errors?: number;
}

/** A controller of Websites, to which a mistake in the definition of the kind must not spread. */
const controllerText = `
export const website = controller(Website, { owns: [Deployment, ConfigMap], reads: [Secret] }, async ({ object, apply, get, status }) => {
  const { replicas, content } = object.spec;
  const labels = { app: object.metadata.name };
  const password = await get(Secret, "password");
  await apply(ConfigMap, object.metadata.name, { data: { html: content.html, known: String(password !== undefined) } });
  const deployment = await apply(Deployment, object.metadata.name, {
    spec: {
      replicas,
      selector: { matchLabels: labels },
      template: { metadata: { labels }, spec: { containers: [{ name: "web", image: "nginx:1.29" }] } },
    },
  });
  status.url = \`http://\${object.metadata.name}\`;
  status.condition("Ready", deployment.status?.readyReplicas === replicas);
  return requeue("5m", { reason: "checks the page" });
});
export const app = operator({ name: "website", controllers: [website] });
`;

const imports = `import { controller, defineResource, operator, requeue, s } from "capstan";
import { Deployment } from "capstan/kinds/apps/v1";
import { ConfigMap, Secret } from "capstan/kinds/v1";
`;

/** The programs without a mistake. */
export const programs: { readonly [name in Mistake["program"]]: string } = {
  "one version": `${imports}
const content = s.object({ html: s.string(), language: s.enum("en", "de").optional() });
export const Website = defineResource({
  group: "example.com",
  version: "v1",
  kind: "Website",
  spec: s.object({ content, replicas: s.int32().min(0).default(1) }),
  status: s.object({ url: s.string() }),
  conditions: { Ready: "The website answers" },
  columns: { Replicas: "spec.replicas", Ready: "condition:Ready" },
  rules: [{ rule: "self.replicas < 100", message: "too many replicas" }],
  validate: ({ object, reject }) => {
    if (object.spec.content.html.includes("<script")) reject("spec.content.html", "has a script");
  },
  default: (draft) => {
    draft.spec.replicas ??= 1;
  },
});
${controllerText}`,
  "two versions": `${imports}
const content = s.object({ html: s.string(), language: s.enum("en", "de").optional() });
export const Website = defineResource({
  group: "example.com",
  kind: "Website",
  versions: {
    v1alpha1: { spec: s.object({ html: s.string(), replicas: s.int32().default(1) }), deprecated: "Write v1." },
    v1: {
      storage: true,
      spec: s.object({ content, replicas: s.int32().min(0).default(1) }),
      status: s.object({ url: s.string() }),
      columns: { Replicas: "spec.replicas", Ready: "condition:Ready" },
      rules: [{ rule: "self.replicas < 100", message: "too many replicas" }],
    },
  },
  conditions: { Ready: "The website answers" },
  convert: {
    "v1alpha1->v1": ({ html, replicas }) => ({ content: { html }, replicas }),
    "v1->v1alpha1": ({ content, replicas }) => ({ html: content.html, replicas }),
  },
  validate: ({ object, reject }) => {
    if (object.spec.content.html.includes("<script")) reject("spec.content.html", "has a script");
  },
});
${controllerText}`,
};

type Row = Omit<Mistake, "program">;
const inOne = (rows: readonly Row[]): Mistake[] => rows.map((row) => ({ program: "one version", ...row }));
const inTwo = (rows: readonly Row[]): Mistake[] => rows.map((row) => ({ program: "two versions", ...row }));

/** The mistakes. */
export const mistakes: readonly Mistake[] = [
  ...inOne([
    {
      title: "a kind that `owns` does not list",
      replace: "owns: [Deployment, ConfigMap]",
      by: "owns: [Deployment]",
      at: "apply(ConfigMap",
      before: 1,
    },
    { title: "a misspelt condition", replace: 'condition("Ready"', by: 'condition("Raedy"', at: "Raedy", before: 1 },
    {
      title: "a misspelt field of the status",
      replace: "status.url =",
      by: "status.uri =",
      at: "status.uri",
      before: 1,
    },
    {
      title: "a write to the object",
      replace: "const labels =",
      by: "object.spec.replicas = 2;\n  const labels =",
      at: "object.spec.replicas = 2",
      before: 1,
    },
    {
      title: "a misspelt field of a Kubernetes object",
      replace: "containers: [{ name",
      by: "contaners: [{ name",
      at: "contaners",
      before: 1,
    },
    {
      title: "a builder that does not exist",
      replace: "s.int32().min(0)",
      by: "s.integer().min(0)",
      at: "s.integer()",
      before: 1,
    },
    {
      title: "a default of another type",
      replace: ".min(0).default(1)",
      by: '.min(0).default("1")',
      at: 'default("1")',
      before: 1,
    },
    {
      title: "a column of a field that does not exist",
      replace: '"spec.replicas"',
      by: '"spec.replica"',
      at: "spec.replica",
      before: 1,
    },
    { title: "a misspelt key of the definition", replace: "columns: {", by: "colums: {", at: "colums", before: 1 },
    {
      title: "a text as the result of a reconcile",
      replace: 'return requeue("5m", { reason: "checks the page" })',
      by: 'return "5m"',
      at: "async ({ object",
      before: 1,
    },
    {
      title: "a field of the spec that does not exist",
      replace: "const { replicas, content }",
      by: "const { replica: replicas, content }",
      at: "replica: replicas",
      before: 1,
    },
    {
      title: "a verdict returned by `validate`",
      replace: 'if (object.spec.content.html.includes("<script")) reject("spec.content.html", "has a script");',
      by: 'return reject !== undefined && object.spec.content.html.includes("<script");',
      at: "validate",
      before: 1,
    },
    {
      title: "a definition without its kind",
      replace: '  kind: "Website",\n',
      by: "",
      at: "defineResource({",
      before: 1,
    },
    // The kind is not declared as read, which is the second error.
    {
      title: "a misspelt option of the controller",
      replace: "reads: [Secret]",
      by: "read: [Secret]",
      at: "read: [Secret]",
      before: 2,
      errors: 2,
    },
  ]),
  ...inTwo([
    {
      title: "a missing conversion",
      replace: '    "v1->v1alpha1": ({ content, replicas }) => ({ html: content.html, replicas }),\n',
      by: "",
      at: "convert",
      before: 8,
    },
    {
      title: "a conversion that returns another shape",
      replace: "({ content: { html }, replicas })",
      by: "({ contents: { html }, replicas })",
      at: "contents",
      before: 6,
    },
    {
      title: "a conversion that reads a field of the other version",
      replace: "({ html, replicas }) =>",
      by: "({ html, size: replicas }) =>",
      at: "size: replicas",
      before: 1,
    },
    {
      title: "a conversion with a misspelt direction",
      replace: '"v1alpha1->v1": (',
      by: '"v1alpha->v1": (',
      at: "convert",
      before: 10,
    },
    {
      title: "`rules` beside `versions`",
      replace: "  conditions: {",
      by: '  rules: [{ rule: "true", message: "never" }],\n  conditions: {',
      at: "rules",
      before: 6,
    },
    {
      title: "a column of a field of another version",
      replace: '"spec.replicas"',
      by: '"spec.html"',
      at: "spec.html",
      before: 10,
    },
    { title: "no storage version", replace: "      storage: true,\n", by: "", at: "versions", before: 7 },
    { title: "a misspelt key of a version", replace: "      rules: [", by: "      rulez: [", at: "rulez", before: 0 },
    {
      title: "a misspelt field of the status, with versions",
      replace: "status.url =",
      by: "status.uri =",
      at: "status.uri",
      before: 1,
    },
    {
      title: "a column of a condition that is not declared",
      replace: '"condition:Ready"',
      by: '"condition:Raedy"',
      at: "condition:Raedy",
      before: 10,
    },
  ]),
];
