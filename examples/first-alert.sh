#!/bin/sh
# Creates a source from a made-up year, checks a day that is unusual, reads its alert and resolves it.
# Needs curl, node, a running service and a token:
#   export DAYBOOK_URL=http://127.0.0.1:8080 DAYBOOK_TOKEN=$(npx daybook token)
set -eu
url=${DAYBOOK_URL:?the address of the service}
token=${DAYBOOK_TOKEN:?a token: npx daybook token}
work=$(mktemp -d)
trap 'rm -r "$work"' EXIT

# Calls the API; an HTTP error ends the script after its problem has been printed.
api() {
  curl --silent --show-error --fail-with-body --header "Authorization: Bearer $token" "$@"
}
# Prints one field of a JSON answer: field '.source.id'.
field() {
  node -e 'const text = require("fs").readFileSync(0, "utf8"); console.log(eval("(" + text + ")" + process.argv[1]))' "$1"
}

# A year of hourly values: open on working days from 8 to 20 o'clock.
node -e 'for (let h = 0; h < 365 * 24; h++) { const at = new Date(Date.UTC(2023, 0, 1, h));
  const open = at.getUTCDay() % 6 && h % 24 > 7 && h % 24 < 20;
  console.log(at.toISOString().slice(0, 19) + ";" + (open ? 80 + (h * 7919) % 40 : 5 + h % 3)); }' > "$work/reference.csv"

api "$url/v1/import-csv/create-source?name=Library&allowDuplicate=true" --header 'Content-Type: text/csv' \
  --data-binary "@$work/reference.csv" > "$work/created.json"
source=$(field .source.id < "$work/created.json")
echo "source $source"

# A check waits ten seconds for the analysis, then the answer is 202; here the script waits until models are there.
status=pending
until [ "$status" = completed ]; do
  if [ "$status" = failed ]; then exit 1; fi
  sleep 1
  api "$url/v1/source/$source" > "$work/source.json"
  status=$(field .analysis.status < "$work/source.json")
done

# The same key makes it safe to send this request again.
api "$url/v1/import/days" --header 'Content-Type: application/json' --header "Idempotency-Key: closed-$source" \
  --data "{\"sourceId\": $source, \"days\": [{\"date\": \"2024-01-10\", \"activity\": [5,6,7,5,6,7,5,6,7,5,6,7,5,6,7,5,6,7,5,6,7,5,6,7]}]}" \
  > "$work/checked.json"
echo "2024-01-10 is $(field '.days[0].status' < "$work/checked.json")"

alert=$(field '.alerts.raised[0].id' < "$work/checked.json")
api "$url/v1/alert/$alert/explanation" > "$work/why.json"
echo "alert $alert, criticity $(field '.alerts.raised[0].criticity.toFixed(2)' < "$work/checked.json")"

api "$url/v1/alert/$alert/resolve" --header 'Content-Type: application/json' \
  --data '{"verdict": "expected", "comment": "Closed for works"}' > "$work/resolved.json"
echo "alert $alert is $(field .state < "$work/resolved.json")"
