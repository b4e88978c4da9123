/** The look of a calendar. Sizes follow the page's font size, sides the direction of its language. */

/** Returns the rules, with the panel's ink for the weekday. */
export const calendarCss = (accent: string): string => `
main{display:flex;width:100%;height:100%}
aside{display:flex;flex-direction:column;justify-content:space-between}
section{flex:1;min-width:0;min-height:0;display:flex;flex-direction:column}
.wide aside{width:15rem;padding:1.5rem 1.5rem 1.3rem;padding-inline-end:1.35rem}
.ltr.wide aside{border-right:.16rem solid #000}
.rtl.wide aside{border-left:.16rem solid #000}
.wide section{padding:1.35rem 1.6rem 1rem}
.tall{flex-direction:column}
.tall aside{flex-direction:row;align-items:center;padding:1.3rem 1.6rem 1.1rem;border-bottom:.16rem solid #000}
.tall .month{flex:0 0 auto;width:13rem}
.tall header{min-width:0;padding-inline-end:1rem}
.tall section{padding:1rem 1.6rem 1rem}
h2{font-weight:700;line-height:1.2;margin-bottom:.3rem;display:-webkit-box;-webkit-line-clamp:3;-webkit-box-orient:vertical;overflow:hidden}
.weekday{font-weight:700;line-height:1.15;color:${accent}}
.number{font-size:7.4rem;font-weight:800;line-height:.98;letter-spacing:-.045em;margin-inline-start:-.06em;white-space:nowrap}
.monthname{font-weight:700}
.agenda{flex:1;min-height:0;overflow:hidden;display:grid;align-content:start;grid-template-columns:minmax(4.6rem,auto) auto minmax(0,1fr)}
h3,.nothing{grid-column:1/-1}
h3{display:flex;justify-content:space-between;align-items:baseline;column-gap:1rem;font-size:1.05rem;font-weight:800;
  border-bottom:.14rem solid #000;padding:.1rem 0 .2rem;margin:.85rem 0 .3rem}
h3.now{font-size:1.2rem;border-bottom-width:.2rem}
h3.first{margin-top:0}
h3 .date{font-size:.9rem;font-weight:600;white-space:nowrap}
.event{min-width:0;padding:.3rem 0}
time{display:block;padding:.3rem 0;font-size:1.05rem;font-weight:700;line-height:1.25;font-feature-settings:'tnum';white-space:nowrap;padding-inline-end:.7rem}
time.long{font-size:.94rem;line-height:1.3;padding-top:.4rem;white-space:normal;max-width:7rem}
time small,.event small{display:block;font-size:.86rem;font-weight:600;line-height:1.25}
u{display:block;width:.38rem;border:.07rem solid #000;margin-top:.42rem;margin-bottom:.4rem;margin-inline-end:.7rem}
strong{display:-webkit-box;-webkit-line-clamp:2;-webkit-box-orient:vertical;overflow:hidden;font-weight:650;line-height:1.22}
.event small{white-space:nowrap;overflow:hidden;text-overflow:ellipsis}
.free{flex:1;display:flex;flex-direction:column;align-items:center;justify-content:center;text-align:center}
h1{font-family:Literata;font-weight:700;line-height:1.15;max-width:100%}
.free p{font-size:1.15rem;font-weight:600;padding-top:.6rem}
.nothing{font-size:1.12rem;font-weight:600;padding:.35rem 0}
.more{font-weight:700;font-size:.95rem;padding-top:.3rem}
footer{font-size:.82rem;font-weight:700;padding-top:.4rem;white-space:nowrap;overflow:hidden;text-overflow:ellipsis}
.large footer{font-size:1.2rem}
`;

/** On the smallest panels the page has the date, and the next events in lines that begin with their time. */
export const smallCalendarCss = `
.small aside{justify-content:flex-start;flex:0 0 auto}
.small.wide aside{width:auto;max-width:40%;padding:.35rem .5rem}
.small.ltr.wide aside{border-right-width:2px}
.small.rtl.wide aside{border-left-width:2px}
.small.tall aside{padding:.3rem .4rem;border-bottom-width:2px}
.small header{min-width:0;padding:0}
.small.tall header{display:grid;grid-template-columns:auto 1fr;column-gap:.4rem;align-items:center}
.small .number{font-size:2.9rem;line-height:1;margin:0}
.small.tall .number{grid-area:1/1/3/2}
.small .weekday{font-weight:800;line-height:1.1}
.small .monthname{line-height:1.1}
.small.tall .weekday{grid-area:1/2;align-self:end}
.small.tall .monthname{grid-area:2/2;align-self:start}
.small section,.small.wide section{padding:.3rem .4rem}
.small .agenda{display:block}
.small h3{font-size:1rem;line-height:1.15;border-bottom-width:1px;margin:.3rem 0 .1rem;padding:0}
.small h3.first{margin-top:0}
.small .nothing{font-size:1rem}
.small strong,.small .nothing{font-weight:600;line-height:1.17;padding:0;margin:.1rem 0}
.small strong{display:block;line-clamp:2;text-overflow:ellipsis}
.small time{display:inline;white-space:normal;font-size:1rem;font-weight:800;padding:0}
.small .more{font-size:1rem;line-height:1;padding:0}
.small .free p{font-size:1rem;padding-top:.2rem}
`;
