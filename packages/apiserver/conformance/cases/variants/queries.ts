/** Odd query strings: escapes that are not UTF-8, cut escapes, separators and repeated names, for each parameter. */
import { defineTopic, get, post, del, patch, type Step } from "../../case.ts";

const quiet = { quiet: true };
const brief = { only: ["kind", "message", "reason", "details", "code", "items"] };
const maps = "/api/v1/namespaces/{ns}/configmaps";
const scene = [post(maps, { metadata: { name: "a", labels: { x: "y" } } }, quiet)];

/** Values that decoders treat differently. */
const values = [
  "%ff",
  "%c3%28",
  "%ed%a0%80",
  "%f0%9f%98%80",
  "%f8%88%80%80%80",
  "%c0%80",
  "%e2%80%a8",
  "%00",
  "%0a",
  "%7f",
  "a%ffb",
  "1%ff",
  "%ff%ff",
  "%C3%A4",
  "%zz",
  "%3",
  "1%",
  "%25ff",
  "",
  "-1",
  "99999999999999999999",
  "a+b",
  "a%2Bb",
  "a%20b",
  "a;b",
  "a=b",
  "%26",
  "%22",
  "%3Cb%3E",
  "%EF%BF%BD",
  "%EF%BB%BF",
];
const parameters: readonly string[] = [
  "labelSelector=",
  "labelSelector=x%3D",
  "labelSelector=x%20in%20(",
  "labelSelector=!",
  "fieldSelector=",
  "fieldSelector=metadata.name%3D",
  "fieldSelector=metadata.name!%3D",
  "limit=",
  "continue=",
  "resourceVersion=",
  "resourceVersionMatch=",
  "timeout=",
  "timeoutSeconds=",
  "sendInitialEvents=",
  "allowWatchBookmarks=",
  "pretty=",
  "fieldManager=",
  "fieldValidation=",
  "dryRun=",
  "gracePeriodSeconds=",
  "propagationPolicy=",
  "unknown=",
  "",
];
const pairs = [
  "=&=",
  "&&&",
  "limit",
  "limit&limit=1",
  "limit=&limit=2",
  "limit=1&limit=",
  "%6cimit=x",
  "li%6dit=x&limit=1",
  "Limit=x",
  "limit=x;limit=1",
  "limit=x&a;b",
  "a;b&limit=x",
  "limit=%31",
  "limit=+1",
  "limit=%2B1",
  "limit=%ff&limit=1",
  "%ff=1&limit=x",
  "?limit=x",
  "limit=1?limit=x",
  "labelSelector=x%3Dy&labelSelector=%ff",
  "labelSelector=%ff&labelSelector=x%3Dy",
  "watch=false&limit=x",
  "watch=0&limit=x",
  "timeout=1s&limit=x",
  "timeout=-1s",
  "timeout=1",
];
const reads = (query: string): Step => get(`${maps}?${query}`, brief);

export const queries = defineTopic("variants-queries", {
  ...Object.fromEntries(
    parameters.map((parameter) => [
      parameter === "" ? "without a parameter" : `parameter ${parameter}`,
      [
        ...scene,
        ...values.map((value) =>
          reads(parameter === "" ? value : `${parameter}${value}${parameter.endsWith("(") ? ")" : ""}`),
        ),
      ],
    ]),
  ),
  pairs: [...scene, ...pairs.map(reads)],
  "of writes": values.flatMap((value) => [
    post(`${maps}?dryRun=${value}`, { metadata: { name: "b" } }, brief),
    post(
      `${maps}?fieldManager=${value}&dryRun=All`,
      { metadata: { name: "b" } },
      { only: ["kind", "message", "details", "metadata"] },
    ),
    post(`${maps}?fieldValidation=${value}&dryRun=All`, { metadata: { name: "b" } }, brief),
    patch("merge", `${maps}/none?fieldManager=${value}`, {}, brief),
    patch("apply", `${maps}/none?force=${value}`, "{}", brief),
    del(`${maps}/none?gracePeriodSeconds=${value}`, undefined, brief),
    del(`${maps}/none?propagationPolicy=${value}`, undefined, brief),
    del(`${maps}/none?orphanDependents=${value}`, undefined, brief),
  ]),
  "of pods": values.flatMap((value) => [
    get(`/api/v1/namespaces/{ns}/pods/none/log?tailLines=${value}`, brief),
    get(`/api/v1/namespaces/{ns}/pods/none/log?container=${value}`, brief),
    get(`/api/v1/namespaces/{ns}/pods/none/log?limitBytes=${value}&tailLines=x`, brief),
    get(`/api/v1/namespaces/{ns}/pods?fieldSelector=spec.nodeName%3D${value}`, brief),
  ]),
});
