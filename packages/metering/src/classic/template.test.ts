/** Tests of templates: the language of Go with the delimiters and functions of metering. */
import assert from "node:assert/strict";
import test from "node:test";
import { templateFunctions } from "./template-functions.ts";
import { parseTemplate } from "./template-parse.ts";
import { renderTemplate } from "./template-render.ts";

const dot = {
  Report: {
    ReportingStart: new Date("2019-03-18T16:00:00Z"),
    Inputs: { Name: " acme ", Count: 3, Tags: ["a", "b"], Labels: { b: "2", a: "1" }, Nothing: undefined },
  },
};

function render(source: string): string {
  return renderTemplate(parseTemplate(source), dot, templateFunctions);
}

test("fields, pipes and functions are rendered as Go does", () => {
  const cases: readonly (readonly [string, string])[] = [
    ["{| .Report.Inputs.Count |}", "3"],
    ["{| .Report.Inputs.Missing |}", "<no value>"],
    ["{| .Report.Inputs.Name | trim | upper | quote |}", '"ACME"'],
    ["{| default .Report.ReportingStart .Report.Inputs.Nothing | prestoTimestamp |}", "2019-03-18 16:00:00.000"],
    ["{| default .Report.ReportingStart .Report.Inputs.Nothing| prometheusMetricPartitionFormat |}", "2019-03-18"],
    ["{| billingPeriodTimestamp .Report.ReportingStart |}", "20190318"],
    ['{| join ", " .Report.Inputs.Tags |}', "a, b"],
    ['{| .Report.ReportingStart | date "Jan 2, 2006 at 15:04:05" |}', "Mar 18, 2019 at 16:00:00"],
    ['{| printf "%s-%03d" (lower "ABC") 7 |}', "abc-007"],
    ['{| index .Report.Inputs.Labels "b" |}{| len .Report.Inputs.Tags |}', "22"],
    ['{| "a |} b" |}', "a |} b"],
    ["{| /* nothing */ |}x", "x"],
    ["{| $n := add 1 2 |}{| $n |}", "3"],
  ];
  for (const [source, expected] of cases) assert.equal(render(source), expected, source);
});

test("conditions, loops and dashes that trim space", () => {
  assert.equal(render("a\n  {|- if .Report.Inputs.Nothing |} yes {|- else |} no {|- end |}\nb"), "a no\nb");
  assert.equal(render("{| if eq .Report.Inputs.Count 3 |}three{| else if true |}other{| end |}"), "three");
  assert.equal(render("{| range $i, $tag := .Report.Inputs.Tags |}{| $i |}{| $tag |} {| end |}"), "0a 1b ");
  assert.equal(render("{| range .Report.Inputs.Labels |}{| . |}{| else |}none{| end |}"), "12");
  assert.equal(render("{| with .Report.Inputs.Name |}[{| . |}]{| end |}"), "[ acme ]");
  assert.equal(render("{| if and .Report.Inputs.Count (not .Report.Inputs.Nothing) -|}  x{| end |}"), "x");
});

test("mistakes are named", () => {
  for (const [source, message] of [
    ["{| nope 1 |}", /function "nope" not defined/],
    ["{| .Report.Inputs", /not closed/],
    ["{| if true |}x", /no end/],
    ["{| .Report.Nope.Deep.Deeper |}", /nil pointer/],
    ["{| 1 2 |}", /non-function/],
    ["{| end |}", /unexpected end/],
    ['{| prestoTimestamp "soon" |}', /couldn't convert soon/],
  ] as const)
    assert.throws(() => render(source), message, source);
});
