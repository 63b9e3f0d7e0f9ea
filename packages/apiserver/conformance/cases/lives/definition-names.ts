/** Name conflicts of CRDs, groups that need an approval, and CRDs that cannot be cleaned up. */
import { defineTopic, del, get, patch, post, type Step } from "../../case.ts";
import { definitions, type Part } from "../explored/widget.ts";

const settle = 1500;
const at = (plural: string): string => `${definitions}/${plural}.{ns}.dev`;
const seen = (plural: string): Step => get(at(plural));
const listed = (plural: string): Step =>
  get(`/apis/{ns}.dev/v1/namespaces/{ns}/${plural}?limit=1`, { only: ["kind", "apiVersion", "items"] });

function define(names: Part & { readonly plural: string }, group = "{ns}.dev", annotations: Part = {}): Step {
  const metadata = { name: `${names.plural}.${group}`, annotations };
  const versions = [{ name: "v1", served: true, storage: true, schema: { openAPIV3Schema: { type: "object" } } }];
  const body = { metadata, spec: { group, scope: "Namespaced", names, versions } };
  return post(definitions, body, { quiet: true, settle });
}

const first = define({ plural: "as", kind: "A", shortNames: ["aa", "ab"], categories: ["all"] });
const rename = (plural: string, names: Part): Step =>
  patch("merge", at(plural), { spec: { names } }, { quiet: true, settle });

const approved = "api-approved.kubernetes.io";
const guarded = `${definitions}/as.{ns}.k8s.io`;
const approve = (text: string): Step =>
  patch("merge", guarded, { metadata: { annotations: { [approved]: text } } }, { quiet: true, settle });
const approval = get(guarded, { only: ["status"] });

export const definitionNames = defineTopic("definition-names", {
  "what is free is accepted beside a kind that is not": [
    first,
    define({ plural: "bs", kind: "A" }),
    seen("bs"),
    listed("bs"),
  ],
  "of several conflicts the last is told": [
    first,
    define({ plural: "hs", kind: "H", listKind: "A", singular: "ab" }),
    seen("hs"),
    define({ plural: "cs", kind: "C", singular: "a", shortNames: ["as"] }),
    seen("cs"),
  ],
  "short names are accepted all or none": [
    first,
    define({ plural: "ds", kind: "D", shortNames: ["aa", "ab", "dd"], categories: ["x"] }),
    seen("ds"),
  ],
  "a plural that is a short name of another": [first, define({ plural: "aa", kind: "F" }), seen("aa"), listed("aa")],
  "a name that is given up goes to who waits for it": [
    first,
    define({ plural: "aa", kind: "F" }),
    rename("as", { shortNames: ["zz"] }),
    seen("as"),
    seen("aa"),
    listed("aa"),
  ],
  "a definition that goes gives up its names": [
    first,
    define({ plural: "es", kind: "E", listKind: "AList" }),
    del(at("as"), undefined, { quiet: true, settle }),
    seen("es"),
    listed("es"),
  ],
  "a kind that is served keeps the names it had when it wants others": [
    first,
    define({ plural: "ds", kind: "D" }),
    rename("as", { singular: "ds", listKind: "DList", categories: ["u"] }),
    seen("as"),
    listed("as"),
  ],
  "a kind that is not established is not served": [
    first,
    patch("merge", `${at("as")}/status`, { status: { conditions: [] } }, { quiet: true, settle }),
    seen("as"),
    listed("as"),
  ],
  "groups of the community tell whether they are approved": [
    define({ plural: "as", kind: "A" }, "{ns}.k8s.io", {
      [approved]: "https://github.com/kubernetes/kubernetes/pull/1",
    }),
    approve("unapproved, a trial"),
    approval,
    approve("https://github.com/kubernetes/kubernetes/pull/1"),
    approval,
  ],
});
