/** Extreme requests: deep nesting, large sizes, lone surrogates, malformed paths, malformed YAML. */
import { defineTopic, get, patch, post, put, type Step } from "../case.ts";

const maps = "/api/v1/namespaces/{ns}/configmaps";
const dry = `${maps}?dryRun=All`;
const yaml = { type: "application/yaml" };

const nested = (open: string, close: string, depth: number): string => open.repeat(depth) + close.repeat(depth);
const deepObject = nested('{"a":', "}", 20_000).replace(":}", ":1}");
const withField = (value: string): string => `{"x":${value},"metadata":{"name":"a"}}`;

/** Sends the text both as a body and as an apply configuration. */
const wrongYaml = (text: string): readonly Step[] => [
  post(dry, text, yaml),
  patch("apply", `${maps}/a?fieldManager=m`, text),
];

export const extremes = defineTopic("extremes", {
  "refuses arrays that nest too deep": [post(maps, withField(nested("[", "]", 10_001)))],
  "refuses objects that nest too deep": [post(maps, withField(deepObject))],
  "refuses what is nothing but depth": [post(maps, nested("[", "]", 100_000))],
  "refuses YAML that nests too deep": wrongYaml(nested("[", "]", 20_000)),
  "refuses a deep configuration": [patch("apply", `${maps}/a?fieldManager=m`, deepObject)],
  "looks for the object before it reads the patch": [
    patch("merge", `${maps}/none`, deepObject),
    patch("merge", `${maps}/none`, "{"),
    patch("json", `${maps}/none`, "nothing"),
    patch("strategic", `${maps}/none`, "[]"),
  ],
  "replaces halves of characters": [
    post(dry, String.raw`{"metadata":{"name":"a"},"data":{"a":"x\ud800y","b":"\udc00","c":"\ud83d\ude00"}}`),
  ],
  "keeps the character zero": [post(dry, String.raw`{"metadata":{"name":"a"},"data":{"a":"\u0000"}}`)],
  "refuses a label for its key and for its value": [
    post(dry, { metadata: { name: "a", labels: { [`${"a".repeat(300)}/b c`]: "d".repeat(100) } } }),
  ],
  "refuses too many annotations": [
    post(dry, { metadata: { name: "a", annotations: { a: "x".repeat(200_000), b: "x".repeat(62_144) } } }),
  ],
  "refuses too much data": [post(dry, { metadata: { name: "a" }, data: { a: "x".repeat(1024 * 1024 + 1) } })],
  "refuses paths that are none": [get("/api/v1/namespaces/%zz/configmaps"), get("/api/v1/%"), get("/%2")],
  "ignores pairs of the query that are none": [get(`${maps}?labelSelector=%zz&limit=1`)],
  "refuses times that are none": [
    get(`${maps}?timeout=x`),
    get(`${maps}?timeout=5`),
    get(`${maps}?timeout=5d`),
    put("/api/v1/nodes/none?timeout=-", {}),
  ],
  "takes times that are some": [get(`${maps}/none?timeout=1m30s`), get(`${maps}/none?timeout=`)],
  "refuses YAML with a mapping too many": wrongYaml("a: b: c"),
  "refuses YAML with a list that does not end": wrongYaml("[a"),
  "refuses YAML with a list that does not end soon": wrongYaml("a: [\n1"),
  "refuses YAML with a map that does not end": wrongYaml("{a: b"),
  "refuses YAML with tabs": wrongYaml("a:\n\t- b"),
  "refuses YAML with a text that does not end": wrongYaml("'x"),
  "refuses YAML with a block that is none": wrongYaml("a: |x"),
  "refuses YAML with an escape that is none": wrongYaml(String.raw`"\q"`),
  "refuses YAML with half an escape": wrongYaml(String.raw`"\x"`),
  "refuses YAML with an alias of nothing": wrongYaml("a: *b"),
  "takes YAML that is almost JSON": [
    patch("apply", `${maps}/a?fieldManager=m`, '{"apiVersion": v1, "kind": ConfigMap, "metadata": {"name": a}}'),
  ],
});
