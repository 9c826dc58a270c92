import type { Model } from '../../../../domain/models.js';

/** Red, green and blue, 0–255 each. */
type Rgb = readonly [red: number, green: number, blue: number];

const rgbOf = (color: string): Rgb => {
  const value = Number.parseInt(color.slice(1), 16);
  return [(value >> 16) & 255, (value >> 8) & 255, value & 255];
};

const hexOf = (rgb: Rgb): string =>
  `#${rgb.map(part => Math.round(part).toString(16).padStart(2, '0')).join('')}`;

/** Relative luminance, 0–1 (WCAG 2.2). */
const luminance = (rgb: Rgb): number => {
  const [red = 0, green = 0, blue = 0] = rgb.map(part => {
    const share = part / 255;
    return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
  });
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
};

/** Contrast ratio, 1–21 (WCAG 2.2). */
const contrast = (a: Rgb, b: Rgb): number => {
  const [low, high] = [luminance(a), luminance(b)].sort((x, y) => x - y) as [number, number];
  return (high + 0.05) / (low + 0.05);
};

const white: Rgb = [255, 255, 255];
const black: Rgb = [0, 0, 0];
/** Backgrounds of light and dark screens. */
const grounds = { light: white, dark: [24, 27, 33] as Rgb };

/** The colour, moved towards black or white until it has enough contrast with the background. */
export const legible = (color: string, ground: 'light' | 'dark'): string => {
  const towards = ground === 'light' ? black : white;
  let rgb = rgbOf(color);
  for (let step = 0; step < 20 && contrast(rgb, grounds[ground]) < (ground === 'light' ? 2 : 2.6); step += 1)
    rgb = rgb.map((part, index) => part + ((towards[index] ?? 0) - part) * 0.08) as unknown as Rgb;
  return hexOf(rgb);
};

/** Colours of the models on one background: `--m{id}` for drawings, `--k{id}` for letters on them. */
const modelColors = (models: readonly Model[], ground: 'light' | 'dark'): string =>
  models
    .map(({ id, color }) => {
      const own = legible(color, ground);
      const letters = contrast(rgbOf(own), black) > contrast(rgbOf(own), white) ? '#000000b0' : '#ffffffd8';
      return `--m${id}:${own};--k${id}:${letters};`;
    })
    .join('');

/** The style sheet of a report, for light and dark screens and for print. */
export const styleOf = (models: readonly Model[]): string => `
:root{color-scheme:light dark;--ground:#ffffff;--panel:#f6f7f9;--ink:#1b1f27;--quiet:#5d6673;--rule:#e2e5ea;--axis:#8d95a1;--accent:#0b5cad;--accentGround:#e8f1fb;--over:#c8500a;--under:#0072b2;--both:#8e4585;--frozen:#00796b;--drift:#b8860b;--gap:#8d95a1;${modelColors(models, 'light')}}
@media (prefers-color-scheme:dark){:root{--ground:#181b21;--panel:#20242c;--ink:#e8eaee;--quiet:#a3abb8;--rule:#333944;--axis:#7d8694;--accent:#7db9f5;--accentGround:#1d3147;--over:#f28c45;--under:#56b4e9;--both:#d79ad0;--frozen:#4dd0b8;--drift:#e8c547;--gap:#8d95a1;${modelColors(models, 'dark')}}}
@media print{:root{color-scheme:light;--ground:#ffffff;--panel:#f6f7f9;--ink:#1b1f27;--quiet:#5d6673;--rule:#e2e5ea;--axis:#8d95a1;--accent:#0b5cad;--accentGround:#e8f1fb;--over:#c8500a;--under:#0072b2;--both:#8e4585;--frozen:#00796b;--drift:#b8860b;--gap:#8d95a1;${modelColors(models, 'light')}}}
*{box-sizing:border-box}
body{margin:0;background:var(--ground);color:var(--ink);font:15px/1.55 system-ui,-apple-system,"Segoe UI",Roboto,"Helvetica Neue",Arial,"DejaVu Sans",sans-serif}
main{max-width:1180px;margin:0 auto;padding:40px 32px 64px}
h1{font-size:32px;line-height:1.2;margin:0 0 4px;letter-spacing:-.01em;overflow-wrap:anywhere}
h2{font-size:21px;margin:52px 0 6px;letter-spacing:-.005em}
h3{font-size:15px;margin:0 0 2px;line-height:1.35;overflow-wrap:anywhere}
p{margin:0 0 10px;max-width:78ch}
.quiet,figcaption,dd{color:var(--quiet)}
.lead{font-size:18px;line-height:1.55;margin:22px 0 24px;max-width:70ch}
.small,figcaption{font-size:13px;line-height:1.45}
.facts{display:grid;grid-template-columns:repeat(auto-fit,minmax(150px,1fr));gap:12px;margin:0 0 8px}
.facts div{background:var(--panel);border-radius:10px;padding:13px 16px}
.facts b{display:block;white-space:nowrap;font-size:26px;line-height:1.25;font-weight:650;font-variant-numeric:tabular-nums}
.facts span{color:var(--quiet);font-size:13px;line-height:1.4;display:block}
.multiples{display:grid;grid-template-columns:repeat(auto-fill,minmax(310px,1fr));gap:26px 20px;margin-top:16px}
.pair{grid-template-columns:repeat(auto-fill,minmax(min(100%,460px),1fr))}
figure{margin:0;break-inside:avoid;min-width:0;display:flex;flex-direction:column}
figure>svg{display:block;width:100%;height:auto;margin:6px 0 4px}
.close>svg{margin-top:auto}
figure h3{display:flex;align-items:center;gap:8px}
.items{max-width:none}.items span{white-space:nowrap}
.wide{overflow-x:auto;padding:4px 0}
.wide svg{display:block}
.legend{display:flex;flex-wrap:wrap;gap:6px 18px;margin:10px 0 4px;padding:0;list-style:none;font-size:13px;color:var(--quiet)}
.legend li{display:flex;align-items:center;gap:7px}
.chip{display:inline-flex;width:18px;height:18px;border-radius:3px;align-items:center;justify-content:center;font-size:11px;font-weight:650;flex:none;vertical-align:-4px}
.swatch{display:inline-block;width:12px;height:12px;flex:none}
.strange{display:inline-flex;width:15px;height:15px;background:var(--rule);border-radius:2px;align-items:center;justify-content:center;font-size:11px;font-weight:650}
.listed{columns:2;column-gap:36px;list-style:none;margin:12px 0;padding:0;font-size:13.5px;line-height:1.5;color:var(--quiet)}
.listed li{break-inside:avoid;padding:2px 0}.listed b{color:var(--ink);font-weight:600;white-space:nowrap}
.corner{stroke:var(--ground);stroke-width:.8}
.ringed{border:2px solid var(--ink);border-radius:3px;width:14px;height:14px}
.dotted{background:var(--ink);border-radius:50%;width:9px;height:9px}
table{border-collapse:collapse;font-size:13.5px;font-variant-numeric:tabular-nums;margin:14px 0 6px;min-width:100%}
th,td{padding:6px;text-align:right;white-space:nowrap;border-bottom:1px solid var(--rule)}
th{white-space:normal;line-height:1.3;font-weight:600;color:var(--quiet);font-size:13px;vertical-align:bottom}
th:first-child,td:first-child{text-align:left}
tr.best td{background:var(--accentGround);font-weight:650}
tr.group td{border-top:2px solid var(--axis)}
.badge{display:inline-block;background:var(--accent);color:var(--ground);border-radius:99px;font-size:11px;font-weight:650;padding:1px 9px;margin-left:8px;vertical-align:1px}
dl{display:grid;grid-template-columns:minmax(110px,max-content) 1fr;gap:6px 20px;font-size:13.5px;line-height:1.5;margin:12px 0}
dt{font-weight:600}dd{margin:0;max-width:84ch}
code,pre{font:13px/1.5 ui-monospace,SFMono-Regular,Menlo,Consolas,"DejaVu Sans Mono",monospace}
pre{background:var(--panel);border-radius:8px;padding:12px 16px;overflow-x:auto;margin:10px 0}
.hash{overflow-wrap:anywhere}
svg text{font:10.5px system-ui,-apple-system,"Segoe UI",Roboto,Arial,"DejaVu Sans",sans-serif;fill:var(--quiet)}
svg text.label{font-size:10.5px}
svg text.mark{fill:var(--ink);font-weight:650;font-size:11.5px;paint-order:stroke;stroke:var(--ground);stroke-width:4px;stroke-linejoin:round}
svg text.row{fill:var(--ink);font-weight:650}
.guide{stroke:var(--quiet);stroke-width:1;stroke-dasharray:2 3}
svg text.key{font-size:8.5px;font-weight:600;text-anchor:middle;pointer-events:none}
.gridLine{stroke:var(--rule);stroke-width:1}
.axisLine{stroke:var(--axis);stroke-width:1}
.band{fill:var(--own,var(--axis));fill-opacity:.17;stroke:none}
.edge{fill:none;stroke:var(--own);stroke-opacity:.45;stroke-width:1;stroke-dasharray:3 2}
.days path{fill:none;stroke:var(--ink);stroke-width:.7}
.days{fill:none;stroke:var(--ink)}
.halo{fill:none;stroke:var(--ground);stroke-width:5;stroke-opacity:.75;stroke-linejoin:round}
.curve{fill:none;stroke:var(--own);stroke-width:2.6;stroke-linejoin:round;stroke-linecap:round}
.expected{fill:none;stroke:var(--own);stroke-width:1.8;stroke-dasharray:5 3}
.day{fill:none;stroke:var(--ink);stroke-width:1.7;stroke-linejoin:round}
.ground{fill-opacity:.12}.ground.over{fill:var(--over)}.ground.under{fill:var(--under)}
.ground.frozen{fill:var(--frozen)}.broken.frozen{stroke:var(--frozen)}.spot.frozen{fill:var(--frozen)}
.broken.over{stroke:var(--over)}.broken.under{stroke:var(--under)}
.broken{fill:none;stroke-width:3;stroke-linejoin:round;stroke-linecap:round}
.spot{stroke:var(--ground);stroke-width:1.4}.spot.over{fill:var(--over)}.spot.under{fill:var(--under)}
.none{fill:var(--rule)}
.faint{opacity:.5}
.holiday{fill:none;stroke:var(--ink);stroke-width:2}
.border{fill:none;stroke:var(--ink);stroke-width:1.3}
.alertDot{fill:var(--ink);stroke:var(--ground);stroke-width:1.6}
.line{fill:none;stroke-width:2;stroke-linejoin:round}
.line.first{stroke:var(--accent)}.line.second{stroke:var(--over)}
.dot{stroke:var(--ground);stroke-width:1.2}
.dot.first{fill:var(--accent)}.dot.second{fill:var(--over)}
.ring{fill:none;stroke:var(--ink);stroke-width:1.6}
.ideal{stroke:var(--axis);stroke-width:1.4;stroke-dasharray:5 4}
.chosenRow{fill:var(--accentGround)}
.tick-over{fill:var(--over)}.tick-confirmed{fill:var(--ink)}.tick-under{fill:var(--under)}.tick-both{fill:var(--both)}.tick-frozen{fill:var(--frozen)}.tick-drift{fill:var(--drift)}.tick-gap,.tick-undecided{fill:var(--gap)}
.tick-refused{fill:var(--ground);stroke:var(--ink);stroke-width:1.4}
footer{margin-top:56px;border-top:1px solid var(--rule);padding-top:14px}
@media print{main{max-width:none;padding:0}h2{break-after:avoid;margin-top:30px}body{font-size:12px;print-color-adjust:exact;-webkit-print-color-adjust:exact}.multiples{grid-template-columns:repeat(3,1fr)}.pair{grid-template-columns:repeat(2,1fr)}.wide svg{max-width:100%;height:auto}tr,figure,.facts div{break-inside:avoid}}
@media (max-width:640px){.listed{columns:1}main{padding:24px 16px 40px}h1{font-size:26px}.lead{font-size:16px}}
`;
