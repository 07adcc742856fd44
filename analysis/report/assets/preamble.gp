set border 3 lc rgb ink
set tics nomirror out scale 0.5 textcolor rgb ink
set grid ytics lc rgb faint lw 0.6 dt 3
set key above left horizontal Left reverse samplen 1.4 textcolor rgb ink
set xlabel textcolor rgb ink
set ylabel textcolor rgb ink
set datafile separator tab
set datafile missing 'NaN'
set encoding utf8
set errorbars 1.5
