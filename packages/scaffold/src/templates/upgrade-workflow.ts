/** A scheduled workflow that upgrades a project to the newest templates and opens a pull request. */

/** .github/workflows/upgrade.yml */
export const upgradeWorkflow = `name: upgrade
on:
  schedule:
    - cron: "17 5 * * 1"
  workflow_dispatch:
permissions:
  contents: write
  pull-requests: write
jobs:
  upgrade:
    runs-on: ubuntu-latest
    steps:
      - uses: actions/checkout@v5
      - uses: actions/setup-node@v5
        with:
          node-version: 24
      - name: Upgrade, and open a change if there is one
        env:
          GH_TOKEN: \${{ github.token }}
        run: |
          npm install --save-exact capstan@latest
          # 5 says that both sides changed the same lines: people resolve the marked places in the change.
          npx capstan upgrade --yes || test $? -eq 5
          if test -z "$(git status --porcelain)"; then exit 0; fi
          git config user.name "upgrade"
          git config user.email "upgrade@users.noreply.github.com"
          git switch --force-create capstan-upgrade
          git add --all
          git commit --message "Upgrade to the newest capstan"
          git push --force origin capstan-upgrade
          if test -n "$(gh pr list --head capstan-upgrade --json number --jq '.[].number')"; then exit 0; fi
          gh pr create --head capstan-upgrade --title "Upgrade to the newest capstan" --body "Made by capstan upgrade. Look for <<<<<<< before you merge."
`;
