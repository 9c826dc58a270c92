const light =
  '--ground:#fff;--panel:#f5f6f8;--ink:#1b1f27;--quiet:#5d6673;--rule:#dfe3e8;--axis:#8d95a1;--accent:#0b5cad;--good:#1a7f4b;--warn:#8a5a00;--bad:#b3261e;--goodGround:#e9f6ee;--warnGround:#fff6e0;--badGround:#fdecea;--over:#c8500a;--under:#0072b2;';
const dark =
  '--ground:#181b21;--panel:#20242c;--ink:#e8eaee;--quiet:#a3abb8;--rule:#333944;--axis:#7d8694;--accent:#7db9f5;--good:#5fd39a;--warn:#f0c360;--bad:#ff8a80;--goodGround:#16301f;--warnGround:#352a10;--badGround:#3a1a18;--over:#f28c45;--under:#56b4e9;';

/** Style sheet of an audit report: light and dark on screens, A4 on paper. */
export const style = `
:root{color-scheme:light dark;${light}}
@media (prefers-color-scheme:dark){:root{${dark}}}
*{box-sizing:border-box}
body{margin:0;background:var(--ground);color:var(--ink);font:15px/1.55 system-ui,-apple-system,"Segoe UI",Roboto,Arial,"DejaVu Sans",sans-serif;-webkit-text-size-adjust:100%}
main{max-width:880px;margin:0 auto;padding:40px 28px 64px}
h1{font-size:32px;line-height:1.2;margin:0 0 6px;letter-spacing:-.015em;overflow-wrap:anywhere}
h2{font-size:20px;line-height:1.3;margin:44px 0 10px;padding-top:14px;border-top:1px solid var(--rule)}
h3{font-size:15.5px;margin:26px 0 6px}
p{margin:8px 0;max-width:76ch;overflow-wrap:anywhere}
.kicker{color:var(--quiet);font-size:13px;letter-spacing:.06em;text-transform:uppercase;margin:0 0 10px}
.quiet{color:var(--quiet)}
.verdict{border-left:5px solid var(--mark);background:var(--markGround);border-radius:0 8px 8px 0;padding:14px 20px;margin:22px 0}
.verdict b{display:block;font-size:19px;color:var(--mark)}
.verdict p{margin:4px 0 0}
.good{--mark:var(--good);--markGround:var(--goodGround)}.warn{--mark:var(--warn);--markGround:var(--warnGround)}.bad{--mark:var(--bad);--markGround:var(--badGround)}.none{--mark:var(--quiet);--markGround:var(--panel)}
dl{display:grid;grid-template-columns:minmax(130px,max-content) 1fr;gap:5px 22px;margin:12px 0}
dt{color:var(--quiet)}dd{margin:0;overflow-wrap:anywhere}
.checks{list-style:none;margin:14px 0;padding:0}
.checks li{display:grid;grid-template-columns:34px 1fr;gap:2px 10px;padding:11px 0;border-bottom:1px solid var(--rule);break-inside:avoid}
.checks .mark{grid-row:span 2;width:26px;height:26px;border-radius:50%;background:var(--markGround);color:var(--mark);border:1.5px solid var(--mark);display:grid;place-items:center;font-weight:700;font-size:14px;line-height:1}
.checks b{font-weight:650}.checks p{margin:0;grid-column:2}
.wide{overflow-x:auto}
table{border-collapse:collapse;width:100%;font-size:13.5px;line-height:1.45;font-variant-numeric:tabular-nums;margin:12px 0}
th,td{text-align:left;vertical-align:top;padding:6px 14px 6px 0;border-bottom:1px solid var(--rule)}
th{color:var(--quiet);font-weight:600;vertical-align:bottom}
td.number,th.number{text-align:right}
td.time{white-space:nowrap}
td.words{min-width:220px;overflow-wrap:anywhere}
code,.hash{font:12px/1.5 ui-monospace,SFMono-Regular,Menlo,Consolas,"DejaVu Sans Mono",monospace;overflow-wrap:anywhere}
tr{break-inside:avoid}
.swatch{display:inline-block;width:11px;height:11px;border-radius:3px;margin-right:7px;vertical-align:-1px}
figure{margin:18px 0;break-inside:avoid}
figure svg{display:block;width:100%;height:auto}
figcaption{font-size:13px;color:var(--quiet);margin-top:6px}
svg text{font:11px system-ui,-apple-system,"Segoe UI",Roboto,Arial,"DejaVu Sans",sans-serif;fill:var(--quiet)}
.gridLine{stroke:var(--rule)}.axisLine{stroke:var(--axis)}
.band{fill:var(--accent);fill-opacity:.14}
.expected{fill:none;stroke:var(--accent);stroke-width:1.6;stroke-dasharray:5 4}
.curve{fill:none;stroke:var(--accent);stroke-width:1.6}
.day{fill:none;stroke:var(--ink);stroke-width:1.8;stroke-linejoin:round}
.ground{fill-opacity:.12}.ground.over{fill:var(--over)}.ground.under{fill:var(--under)}
.broken{fill:none;stroke-width:3.4;stroke-linejoin:round;stroke-linecap:round}.broken.over{stroke:var(--over)}.broken.under{stroke:var(--under)}
.spot.over{fill:var(--over)}.spot.under{fill:var(--under)}
.spark{display:block}
.key{display:inline-block;width:20px;border-top:3px solid var(--ink);vertical-align:4px;margin-right:6px}
.key.expectedKey{border-top:2px dashed var(--accent)}.key.bandKey{border-top:10px solid color-mix(in srgb,var(--accent) 18%,var(--ground));vertical-align:0}
.key.overKey{border-color:var(--over)}.key.underKey{border-color:var(--under)}
figcaption span{margin-right:18px;white-space:nowrap}
.signatures{display:grid;grid-template-columns:1fr 1fr;gap:0 48px;break-inside:avoid}
.signatures h3{margin:20px 0 0}
.signatures div>p{border-top:1px solid var(--ink);margin:46px 0 0;padding-top:5px;font-size:12.5px;color:var(--quiet)}
footer{margin-top:48px;border-top:1px solid var(--rule);padding-top:12px;font-size:12.5px;color:var(--quiet)}
@media (max-width:640px){main{padding:24px 16px 40px}h1{font-size:25px}dl{grid-template-columns:1fr;gap:0}dd{margin-bottom:9px}.signatures{grid-template-columns:1fr}thead{display:none}tr{display:block;padding:9px 0;border-bottom:1px solid var(--rule)}td,td.number{display:grid;grid-template-columns:96px 1fr;gap:10px;border:0;padding:1px 0;text-align:left;white-space:normal}td::before{content:attr(data-label);color:var(--quiet)}td>*{min-width:0}}
@page{size:A4;margin:18mm 17mm 20mm;@bottom-right{content:counter(page) " / " counter(pages);font:9pt system-ui,Arial,sans-serif;color:#5d6673}@bottom-left{content:"Daybook audit report";font:9pt system-ui,Arial,sans-serif;color:#5d6673}}
@media print{:root{color-scheme:light;${light}}body{font-size:10.5pt;print-color-adjust:exact;-webkit-print-color-adjust:exact}main{max-width:none;padding:0}h1{font-size:24pt}h2{font-size:14pt;break-after:avoid;margin-top:9mm}h3{break-after:avoid}thead{display:table-header-group}table{font-size:9pt}.wide{overflow:visible}td.words{min-width:0}code,.hash{font-size:8pt}.page{break-before:page}.page h2{border:0;margin-top:0;padding-top:0}}
`;
